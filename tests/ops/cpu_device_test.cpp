#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>

#include "tests/ops/ops_fixture.h"

namespace inference::ops {
namespace {

// Which instruction sets the tests named after them ran with here: a machine without AVX-512 says nothing about it.
TEST(CpuDevice, takes_the_best_instruction_set_that_was_tested) {
  std::string tested;
  for (const ops::Setup& setup : cpu_setups()) tested = hwy::TargetName(setup.target);  // ascending
  std::cout << "instruction sets tested on this machine:";
  for (const ops::Setup& setup : cpu_setups()) {
    if (setup.n_threads == 1) std::cout << ' ' << hwy::TargetName(setup.target);
  }
  const std::string description = make_cpu_device(3)->description();
  std::cout << "\nchosen: " << description << '\n';
  EXPECT_EQ(description, "cpu: " + tested + ", 3 threads");
}

}  // namespace
}  // namespace inference::ops
