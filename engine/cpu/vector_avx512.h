#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

/// The vectors of row_kernels_avx512.cpp, which alone may include this.
namespace {

struct Vector {
    static constexpr std::uint32_t kLanes = 16;
    static constexpr std::uint32_t kTileRows = 12; // 24 sums of 32 registers
    __m512 v;

    static Vector zero() { return {_mm512_setzero_ps()}; }
    static Vector all(float x) { return {_mm512_set1_ps(x)}; }
    static Vector load(const float* p) { return {_mm512_loadu_ps(p)}; }
    static Vector load(const std::uint16_t* p) {
        return {_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
    }
    static Vector load(const std::int8_t* p) {
        return {_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))))};
    }
    void store(float* p) const { _mm512_storeu_ps(p, v); }
    void store(std::uint16_t* p) const {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
    }
    friend Vector operator+(Vector a, Vector b) { return {_mm512_add_ps(a.v, b.v)}; }
    friend Vector operator-(Vector a, Vector b) { return {_mm512_sub_ps(a.v, b.v)}; }
    friend Vector operator*(Vector a, Vector b) { return {_mm512_mul_ps(a.v, b.v)}; }
    friend Vector operator/(Vector a, Vector b) { return {_mm512_div_ps(a.v, b.v)}; }
    static Vector multiplyAdd(Vector a, Vector b, Vector c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
    // The second operand is what a NaN comes out of.
    static Vector greater(Vector a, Vector b) { return {_mm512_max_ps(a.v, b.v)}; }
    static Vector lesser(Vector a, Vector b) { return {_mm512_min_ps(a.v, b.v)}; }
    static Vector absolute(Vector a) { return {_mm512_abs_ps(a.v)}; }
    static Vector round(Vector a) { return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)}; }
    /// a * 2^n, n whole, -126 ... 127
    static Vector timesPowerOfTwo(Vector a, Vector n) { return {_mm512_scalef_ps(a.v, n.v)}; }
    /// a where x >= limit (or x is no number), else 0
    static Vector keepWhereAtLeast(Vector a, Vector x, Vector limit) {
        return {_mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x.v, limit.v, _CMP_NLT_UQ), a.v)};
    }
    float sum() const { return _mm512_reduce_add_ps(v); }
    float greatest() const { return _mm512_reduce_max_ps(v); }
};

} // namespace
