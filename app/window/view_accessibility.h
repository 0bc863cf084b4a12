#pragma once

namespace app {

// Lets the accessibility tree see what is in the views that paint themselves. Before anything asks for the interface of
// one: Qt keeps the first. Once per program; more is nothing.
void install_view_accessibility();

}  // namespace app
