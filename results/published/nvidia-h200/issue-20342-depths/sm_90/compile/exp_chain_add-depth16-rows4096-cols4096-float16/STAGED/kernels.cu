
#ifdef __CUDACC_RTC__
  #include <cuda/std/cstdint>
  using cuda::std::uint8_t;
  using cuda::std::uint16_t;
  using cuda::std::uint32_t;
  using cuda::std::uint64_t;
  using cuda::std::int8_t;
  using cuda::std::int16_t;
  using cuda::std::int32_t;
  using cuda::std::int64_t;

  #include <cuda/std/type_traits>
  namespace std {
    using cuda::std::is_same;
    using cuda::std::is_same_v;
    using cuda::std::is_integral;
    using cuda::std::is_signed;
    using cuda::std::is_unsigned;
    using cuda::std::is_floating_point;
    using cuda::std::enable_if;
    using cuda::std::conditional;
  }

  // NVRTC uses asm/volatile instead of __asm__/__volatile__ (gcc extension).
  #ifndef __asm__
  #define __asm__ asm
  #endif
  #ifndef __volatile__
  #define __volatile__ volatile
  #endif
#else
  #include <cstdint>
  #include <type_traits>
  #include <cuda.h>
#endif

#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 530)
#include <cuda_fp16.h>
__device__ half max(half a, half b)
{
  return __hgt(__half(a), __half(b)) ? a : b;
}
__device__ half min(half a, half b)
{
  return __hlt(__half(a), __half(b)) ? a : b;
}
#endif // __CUDA_ARCH__ >= 530

// Pack two half values.
static inline __device__ __host__ unsigned
__pack_half2(const half x, const half y) {
  unsigned v0 = *((unsigned short *)&x);
  unsigned v1 = *((unsigned short *)&y);
  return (v1 << 16) | v0;
}

#define CUDA_UNSUPPORTED_HALF_MATH_BINARY(HALF_MATH_NAME, FP32_MATH_NAME) \
static inline __device__ __host__ half HALF_MATH_NAME(half x, half y) {   \
  float tmp_x = __half2float(x);                                          \
  float tmp_y = __half2float(y);                                          \
  float result = FP32_MATH_NAME(tmp_x, tmp_y);                            \
  return __float2half(result);                                            \
}

#define CUDA_UNSUPPORTED_HALF_MATH_UNARY(HALF_MATH_NAME, FP32_MATH_NAME) \
static inline __device__ __host__ half HALF_MATH_NAME(half x) {          \
  float tmp_x = __half2float(x);                                         \
  float result = FP32_MATH_NAME(tmp_x);                                  \
  return __float2half(result);                                           \
}

// Some fp16 math functions are not supported in cuda_fp16.h,
// so we define them here to make sure the generated CUDA code
// is valid.
#if defined(__CUDA_ARCH__)
#if (__CUDA_ARCH__ >= 530)
CUDA_UNSUPPORTED_HALF_MATH_BINARY(hpow, powf)
#if ((__CUDACC_VER_MAJOR__ < 12) || ((__CUDACC_VER_MAJOR__ == 12) && (__CUDACC_VER_MINOR__ < 8)))
CUDA_UNSUPPORTED_HALF_MATH_UNARY(htanh, tanhf)
#endif
CUDA_UNSUPPORTED_HALF_MATH_UNARY(htan, tanf)
CUDA_UNSUPPORTED_HALF_MATH_UNARY(hatan, atanf)
CUDA_UNSUPPORTED_HALF_MATH_UNARY(herf, erf)
#else
CUDA_UNSUPPORTED_HALF_MATH_UNARY(hexp, exp)
#endif
#endif

#undef CUDA_UNSUPPORTED_HALF_MATH_BINARY
#undef CUDA_UNSUPPORTED_HALF_MATH_UNARY

template <typename T, typename TVec2>
struct __align__(8) half4_bfloat164 {
  T x, y, z, w;
  __host__ __device__ half4_bfloat164() : x(T(0)), y(T(0)), z(T(0)), w(T(0)) {}
  __host__ __device__ half4_bfloat164(T x, T y, T z, T w) : x(x), y(y), z(z), w(w) {}

};

using half4 = half4_bfloat164<__half, __half2>;
__host__ __device__ half4 make_half4(__half x, __half y, __half z, __half w) {
    return half4(x, y, z, w);
}

#if (((__CUDACC_VER_MAJOR__ == 11) && (__CUDACC_VER_MINOR__ >= 4)) || \
     (__CUDACC_VER_MAJOR__ > 11))
#define TVM_ENABLE_L2_PREFETCH 1
#else
#define TVM_ENABLE_L2_PREFETCH 0
#endif

#ifdef _WIN32
  using uint = unsigned int;
  using uchar = unsigned char;
  using ushort = unsigned short;
  using int64_t = long long;
  using uint64_t = unsigned long long;
#else
  #define uint unsigned int
  #define uchar unsigned char
  #define ushort unsigned short
#endif
extern "C" __global__ void __launch_bounds__(256) fused_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_add_kernel(half* __restrict__ T_add_intermediate_ptr, half* __restrict__ b_ptr, half* __restrict__ x_ptr);
extern "C" __global__ void __launch_bounds__(256) fused_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_multiply_subtract_tir_exp_add_kernel(half* __restrict__ T_add_intermediate_ptr, half* __restrict__ b_ptr, half* __restrict__ x_ptr) {
  alignas(64) uint4 b_local_ptr[4];
  __shared__ alignas(64) half compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[4];
  int cse_v1 = (((int)blockIdx.x) >> 1);
  int cse_v3 = ((((((int)blockIdx.x) >> 1) * 16384) + ((((int)blockIdx.x) & 1) * 2048)) + (((int)threadIdx.x) * 8));
  b_local_ptr[0] = *(uint4*)(b_ptr + ((((((int)blockIdx.x) >> 1) * 16384) + ((((int)blockIdx.x) & 1) * 2048)) + (((int)threadIdx.x) * 8)));
  int cse_v4 = (((((((int)blockIdx.x) >> 1) * 16384) + ((((int)blockIdx.x) & 1) * 2048)) + (((int)threadIdx.x) * 8)) + 4096);
  b_local_ptr[1] = *(uint4*)(b_ptr + (((((((int)blockIdx.x) >> 1) * 16384) + ((((int)blockIdx.x) & 1) * 2048)) + (((int)threadIdx.x) * 8)) + 4096));
  int cse_v5 = (((((((int)blockIdx.x) >> 1) * 16384) + ((((int)blockIdx.x) & 1) * 2048)) + (((int)threadIdx.x) * 8)) + 8192);
  b_local_ptr[2] = *(uint4*)(b_ptr + (((((((int)blockIdx.x) >> 1) * 16384) + ((((int)blockIdx.x) & 1) * 2048)) + (((int)threadIdx.x) * 8)) + 8192));
  int cse_v6 = (((((((int)blockIdx.x) >> 1) * 16384) + ((((int)blockIdx.x) & 1) * 2048)) + (((int)threadIdx.x) * 8)) + 12288);
  b_local_ptr[3] = *(uint4*)(b_ptr + (((((((int)blockIdx.x) >> 1) * 16384) + ((((int)blockIdx.x) & 1) * 2048)) + (((int)threadIdx.x) * 8)) + 12288));
  if (((int)threadIdx.x) < 4) {
    int cse_v2 = (((((int)blockIdx.x) >> 1) * 4) + ((int)threadIdx.x));
    compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[((int)threadIdx.x)] = hexp((x_ptr[(((((int)blockIdx.x) >> 1) * 4) + ((int)threadIdx.x))] - (__float2half_rn(0x1p-1f/*5.000000e-01*/) * hexp((x_ptr[(((((int)blockIdx.x) >> 1) * 4) + ((int)threadIdx.x))] - (__float2half_rn(0x1p-1f/*5.000000e-01*/) * hexp((x_ptr[(((((int)blockIdx.x) >> 1) * 4) + ((int)threadIdx.x))] - (__float2half_rn(0x1p-1f/*5.000000e-01*/) * hexp((x_ptr[(((((int)blockIdx.x) >> 1) * 4) + ((int)threadIdx.x))] - (__float2half_rn(0x1p-1f/*5.000000e-01*/) * hexp((x_ptr[(((((int)blockIdx.x) >> 1) * 4) + ((int)threadIdx.x))] - (__float2half_rn(0x1p-1f/*5.000000e-01*/) * hexp((x_ptr[(((((int)blockIdx.x) >> 1) * 4) + ((int)threadIdx.x))] - (__float2half_rn(0x1p-1f/*5.000000e-01*/) * hexp((x_ptr[(((((int)blockIdx.x) >> 1) * 4) + ((int)threadIdx.x))] - (__float2half_rn(0x1p-1f/*5.000000e-01*/) * hexp((x_ptr[(((((int)blockIdx.x) >> 1) * 4) + ((int)threadIdx.x))] - (__float2half_rn(0x1p-1f/*5.000000e-01*/) * hexp((x_ptr[(((((int)blockIdx.x) >> 1) * 4) + ((int)threadIdx.x))] - (__float2half_rn(0x1p-1f/*5.000000e-01*/) * hexp((x_ptr[(((((int)blockIdx.x) >> 1) * 4) + ((int)threadIdx.x))] - (__float2half_rn(0x1p-1f/*5.000000e-01*/) * hexp((x_ptr[(((((int)blockIdx.x) >> 1) * 4) + ((int)threadIdx.x))] - (__float2half_rn(0x1p-1f/*5.000000e-01*/) * hexp((x_ptr[(((((int)blockIdx.x) >> 1) * 4) + ((int)threadIdx.x))] - (__float2half_rn(0x1p-1f/*5.000000e-01*/) * hexp((x_ptr[(((((int)blockIdx.x) >> 1) * 4) + ((int)threadIdx.x))] - (__float2half_rn(0x1p-1f/*5.000000e-01*/) * hexp((x_ptr[(((((int)blockIdx.x) >> 1) * 4) + ((int)threadIdx.x))] - (__float2half_rn(0x1p-1f/*5.000000e-01*/) * hexp((x_ptr[(((((int)blockIdx.x) >> 1) * 4) + ((int)threadIdx.x))] - (__float2half_rn(0x1p-1f/*5.000000e-01*/) * hexp((x_ptr[(((((int)blockIdx.x) >> 1) * 4) + ((int)threadIdx.x))] - (__float2half_rn(0x1p-1f/*5.000000e-01*/) * x_ptr[(((((int)blockIdx.x) >> 1) * 4) + ((int)threadIdx.x))]))))))))))))))))))))))))))))))))))))))))))))))));
  }
  __syncthreads();
  uint4 __1;
    uint4 v_ = b_local_ptr[0];
    uint4 v__1 = make_uint4(__pack_half2(compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[0], compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[0]), __pack_half2(compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[0], compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[0]), __pack_half2(compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[0], compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[0]), __pack_half2(compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[0], compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[0]));
    ((half2*)(&(__1.x)))->x = (((half2*)(&(v_.x)))->x+((half2*)(&(v__1.x)))->x);
    ((half2*)(&(__1.x)))->y = (((half2*)(&(v_.x)))->y+((half2*)(&(v__1.x)))->y);
    ((half2*)(&(__1.y)))->x = (((half2*)(&(v_.y)))->x+((half2*)(&(v__1.y)))->x);
    ((half2*)(&(__1.y)))->y = (((half2*)(&(v_.y)))->y+((half2*)(&(v__1.y)))->y);
    ((half2*)(&(__1.z)))->x = (((half2*)(&(v_.z)))->x+((half2*)(&(v__1.z)))->x);
    ((half2*)(&(__1.z)))->y = (((half2*)(&(v_.z)))->y+((half2*)(&(v__1.z)))->y);
    ((half2*)(&(__1.w)))->x = (((half2*)(&(v_.w)))->x+((half2*)(&(v__1.w)))->x);
    ((half2*)(&(__1.w)))->y = (((half2*)(&(v_.w)))->y+((half2*)(&(v__1.w)))->y);
  *(uint4*)(T_add_intermediate_ptr + ((((((int)blockIdx.x) >> 1) * 16384) + ((((int)blockIdx.x) & 1) * 2048)) + (((int)threadIdx.x) * 8))) = __1;
  uint4 __2;
    uint4 v__2 = b_local_ptr[1];
    uint4 v__3 = make_uint4(__pack_half2(compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[1], compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[1]), __pack_half2(compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[1], compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[1]), __pack_half2(compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[1], compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[1]), __pack_half2(compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[1], compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[1]));
    ((half2*)(&(__2.x)))->x = (((half2*)(&(v__2.x)))->x+((half2*)(&(v__3.x)))->x);
    ((half2*)(&(__2.x)))->y = (((half2*)(&(v__2.x)))->y+((half2*)(&(v__3.x)))->y);
    ((half2*)(&(__2.y)))->x = (((half2*)(&(v__2.y)))->x+((half2*)(&(v__3.y)))->x);
    ((half2*)(&(__2.y)))->y = (((half2*)(&(v__2.y)))->y+((half2*)(&(v__3.y)))->y);
    ((half2*)(&(__2.z)))->x = (((half2*)(&(v__2.z)))->x+((half2*)(&(v__3.z)))->x);
    ((half2*)(&(__2.z)))->y = (((half2*)(&(v__2.z)))->y+((half2*)(&(v__3.z)))->y);
    ((half2*)(&(__2.w)))->x = (((half2*)(&(v__2.w)))->x+((half2*)(&(v__3.w)))->x);
    ((half2*)(&(__2.w)))->y = (((half2*)(&(v__2.w)))->y+((half2*)(&(v__3.w)))->y);
  *(uint4*)(T_add_intermediate_ptr + (((((((int)blockIdx.x) >> 1) * 16384) + ((((int)blockIdx.x) & 1) * 2048)) + (((int)threadIdx.x) * 8)) + 4096)) = __2;
  uint4 __3;
    uint4 v__4 = b_local_ptr[2];
    uint4 v__5 = make_uint4(__pack_half2(compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[2], compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[2]), __pack_half2(compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[2], compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[2]), __pack_half2(compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[2], compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[2]), __pack_half2(compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[2], compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[2]));
    ((half2*)(&(__3.x)))->x = (((half2*)(&(v__4.x)))->x+((half2*)(&(v__5.x)))->x);
    ((half2*)(&(__3.x)))->y = (((half2*)(&(v__4.x)))->y+((half2*)(&(v__5.x)))->y);
    ((half2*)(&(__3.y)))->x = (((half2*)(&(v__4.y)))->x+((half2*)(&(v__5.y)))->x);
    ((half2*)(&(__3.y)))->y = (((half2*)(&(v__4.y)))->y+((half2*)(&(v__5.y)))->y);
    ((half2*)(&(__3.z)))->x = (((half2*)(&(v__4.z)))->x+((half2*)(&(v__5.z)))->x);
    ((half2*)(&(__3.z)))->y = (((half2*)(&(v__4.z)))->y+((half2*)(&(v__5.z)))->y);
    ((half2*)(&(__3.w)))->x = (((half2*)(&(v__4.w)))->x+((half2*)(&(v__5.w)))->x);
    ((half2*)(&(__3.w)))->y = (((half2*)(&(v__4.w)))->y+((half2*)(&(v__5.w)))->y);
  *(uint4*)(T_add_intermediate_ptr + (((((((int)blockIdx.x) >> 1) * 16384) + ((((int)blockIdx.x) & 1) * 2048)) + (((int)threadIdx.x) * 8)) + 8192)) = __3;
  uint4 __4;
    uint4 v__6 = b_local_ptr[3];
    uint4 v__7 = make_uint4(__pack_half2(compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[3], compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[3]), __pack_half2(compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[3], compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[3]), __pack_half2(compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[3], compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[3]), __pack_half2(compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[3], compute_intermediate_1_2_3_4_5_6_7_8_9_10_11_12_13_14_15_shared_ptr[3]));
    ((half2*)(&(__4.x)))->x = (((half2*)(&(v__6.x)))->x+((half2*)(&(v__7.x)))->x);
    ((half2*)(&(__4.x)))->y = (((half2*)(&(v__6.x)))->y+((half2*)(&(v__7.x)))->y);
    ((half2*)(&(__4.y)))->x = (((half2*)(&(v__6.y)))->x+((half2*)(&(v__7.y)))->x);
    ((half2*)(&(__4.y)))->y = (((half2*)(&(v__6.y)))->y+((half2*)(&(v__7.y)))->y);
    ((half2*)(&(__4.z)))->x = (((half2*)(&(v__6.z)))->x+((half2*)(&(v__7.z)))->x);
    ((half2*)(&(__4.z)))->y = (((half2*)(&(v__6.z)))->y+((half2*)(&(v__7.z)))->y);
    ((half2*)(&(__4.w)))->x = (((half2*)(&(v__6.w)))->x+((half2*)(&(v__7.w)))->x);
    ((half2*)(&(__4.w)))->y = (((half2*)(&(v__6.w)))->y+((half2*)(&(v__7.w)))->y);
  *(uint4*)(T_add_intermediate_ptr + (((((((int)blockIdx.x) >> 1) * 16384) + ((((int)blockIdx.x) & 1) * 2048)) + (((int)threadIdx.x) * 8)) + 12288)) = __4;
}

