#pragma once
// The standard streams as the program's caller left them: closed, full, or all right.

namespace app {

// A closed standard stream's number would go to the next thing that is opened, the record for one, and prints would
// land in it. Call it before anything opens a file.
void hold_standard_streams();

// The exit status with which the program ends: that of a success only when its output could be written.
int status_after_output(int status);

}  // namespace app
