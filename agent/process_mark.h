#pragma once
// Which process a session belongs to, in a form that no later process can be mistaken for.

#include <string>

namespace agent {

std::string own_process_mark();
bool is_process_alive(const std::string& mark);

}  // namespace agent
