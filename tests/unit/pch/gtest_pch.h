// Precompiled once per test program: gtest costs two seconds a file otherwise.
#ifndef SLUICE_TESTS_GTEST_PCH
#define SLUICE_TESTS_GTEST_PCH
#include <gtest/gtest.h>

#include <string>
#include <vector>
#endif
