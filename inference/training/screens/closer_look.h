#pragma once
// A closer look at a part of a screen, as the agent takes one to read small text.

#include "inference/training/screens/desktop.h"

namespace screens {

// What of the whole screen a closer look shows: a part of its width and height by `factor` smaller around a point, as
// near to it as the edges allow. Unit: px of the whole picture.
QRect part_around(QPointF point, double factor);

// That part, enlarged to a picture of 896×504 px from the screen's own pixels, with its labels.
Screen closer_look(const Screen& whole, const QRect& part);

}  // namespace screens
