#include "inference/ops/cuda_library.h"

#include <dlfcn.h>

#include <filesystem>

namespace inference::ops {
namespace {

// dlerror after a failed dlopen or dlsym.
std::string load_error() {
  const char* text = dlerror();
  return text != nullptr ? text : "unknown error";
}

}  // namespace

std::unique_ptr<Device> make_cuda_device(DType activation_type, std::size_t needed_bytes, std::string& reason) {
  INFERENCE_CHECK(activation_type == DType::F32 || activation_type == DType::BF16, "activations of ",
                  dtype_name(activation_type));
  // Without a driver there is no need to map the library and cuBLASLt, which is half a gigabyte.
  if (dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) == nullptr) {
    reason = "no NVIDIA driver is installed";
    return nullptr;
  }
  const std::filesystem::path library = std::filesystem::read_symlink("/proc/self/exe").parent_path() / kCudaLibrary;
  // Never closed: devices of it may live until the program ends.
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    reason = load_error();
    return nullptr;
  }
  auto* open = reinterpret_cast<OpenCudaDevice*>(dlsym(handle, kOpenCudaDevice));
  if (open == nullptr) {
    reason = load_error();
    return nullptr;
  }
  char text[512] = "";
  std::unique_ptr<Device> device(open(activation_type, needed_bytes, text, sizeof(text)));
  reason = text;
  return device;
}

}  // namespace inference::ops
