#pragma once
// Keeps the pixels of a conversation's pictures on the disk, so that a long session doesn't fill the memory with
// screens that are seldom looked at again. They stay readable like any others: the system loads what is touched.

#include <memory>
#include <vector>

#include "agent/transcript.h"

namespace agent {

// Belongs to one thread; the pictures may be read from any, and outlive the shelf.
class PictureShelf {
 public:
  // The message with its pictures on the disk: the same pixels under new ids. A picture stays as it is when the disk
  // has no room for it.
  Message put(Message message);
  Picture put(const Picture& picture);

 private:
  class Mapping;
  void rest() const;  // takes what was read of the pictures out of the memory again

  std::vector<std::weak_ptr<const Mapping>> mappings_;
};

}  // namespace agent
