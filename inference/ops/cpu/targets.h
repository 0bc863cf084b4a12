#pragma once
// The instruction sets that the kernels are compiled for; include before any Highway header. The best one that the
// machine has is chosen at run time. On x86 these are SSSE3 (every processor since 2011), AVX2 with FMA, and AVX-512.
// Nothing here uses what AVX3_DL adds, and SSE4 would cost compile time only. VNNI and BF16 instructions round the
// activations to 8 bits; split into two bf16 parts to keep them exact, products cost as many instructions as fp32 FMA.

#if defined(__x86_64__)
#define HWY_BASELINE_TARGETS HWY_SSSE3
#define HWY_DISABLED_TARGETS (HWY_SSE4 | HWY_AVX3_DL)
#endif

#include <hwy/targets.h>
