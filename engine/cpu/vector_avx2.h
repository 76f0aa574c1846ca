#pragma once

#include <cstddef>
#include <cstdint>
#include <immintrin.h>

/// The vectors of row_kernels_avx2.cpp, which alone may include this.
namespace {

struct Vector {
    static constexpr std::uint32_t kLanes = 8;
    static constexpr std::uint32_t kTileRows = 3; // 12 sums of 16 registers
    __m256 v;

    static Vector zero() { return {_mm256_setzero_ps()}; }
    static Vector all(float x) { return {_mm256_set1_ps(x)}; }
    static Vector load(const float* p) { return {_mm256_loadu_ps(p)}; }
    static Vector load(const std::uint16_t* p) {
        return {_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
    }
    static Vector load(const std::int8_t* p) {
        return {_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))))};
    }
    void store(float* p) const { _mm256_storeu_ps(p, v); }
    void store(std::uint16_t* p) const {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
    }
    friend Vector operator+(Vector a, Vector b) { return {_mm256_add_ps(a.v, b.v)}; }
    friend Vector operator-(Vector a, Vector b) { return {_mm256_sub_ps(a.v, b.v)}; }
    friend Vector operator*(Vector a, Vector b) { return {_mm256_mul_ps(a.v, b.v)}; }
    friend Vector operator/(Vector a, Vector b) { return {_mm256_div_ps(a.v, b.v)}; }
    static Vector multiplyAdd(Vector a, Vector b, Vector c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
    // The second operand is what a NaN comes out of.
    static Vector greater(Vector a, Vector b) { return {_mm256_max_ps(a.v, b.v)}; }
    static Vector lesser(Vector a, Vector b) { return {_mm256_min_ps(a.v, b.v)}; }
    static Vector absolute(Vector a) { return {_mm256_andnot_ps(_mm256_set1_ps(-0.0F), a.v)}; }
    static Vector round(Vector a) { return {_mm256_round_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)}; }
    /// a * 2^n, n whole, -126 ... 127
    static Vector timesPowerOfTwo(Vector a, Vector n) {
        const __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n.v), _mm256_set1_epi32(127));
        return {_mm256_mul_ps(a.v, _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23)))};
    }
    /// a where x >= limit (or x is no number), else 0
    static Vector keepWhereAtLeast(Vector a, Vector x, Vector limit) {
        return {_mm256_and_ps(a.v, _mm256_cmp_ps(x.v, limit.v, _CMP_NLT_UQ))};
    }
    float sum() const {
        const __m128 four = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
        const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
    }
    float greatest() const {
        const __m128 four = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
        const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
        return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
    }
};

} // namespace
