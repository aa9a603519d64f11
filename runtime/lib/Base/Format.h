// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text of messages. Patterns are as fmt's, and are checked against their arguments when they are
// compiled: `{}`, `{:#x}`, `{:016x}`, `{:04o}`, with the number of an argument in front of the
// colon where one is used twice.
//
// A call passes the kinds of its arguments as one number, and the arguments as C does: hundreds of
// messages then take a third of the code that fmt's arrays of arguments take.

#ifndef TTRT_LIB_BASE_FORMAT_H
#define TTRT_LIB_BASE_FORMAT_H

#include "Base/Error.h"

#include <concepts>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#if defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI
// The library of C++ has them. Its headers say so for older standards only.
extern template std::string &std::string::_M_replace(size_type, size_type, const char *, size_type);
extern template std::string &std::string::_M_append(const char *, size_type);
extern template void std::string::_M_mutate(size_type, size_type, const char *, size_type);
extern template void std::string::_M_assign(const std::string &);
#endif

namespace ttrt {

/// What an argument is, in kKindBits bits of a number, the first argument in the lowest ones.
enum class ArgumentKind : uint8_t { None, Signed, Unsigned, Character, Text, View };
inline constexpr unsigned kKindBits = 3, kMaxArguments = 12;

inline int64_t toArgument(std::signed_integral auto number) { return number; }
inline uint64_t toArgument(std::unsigned_integral auto number) { return number; }
inline uint64_t toArgument(char character) { return static_cast<uint8_t>(character); }
inline const char *toArgument(const char *text) { return text; }
inline const char *toArgument(const std::string &text) { return text.c_str(); }
inline const std::string_view *toArgument(const std::string_view &text) { return &text; }
inline const char *toArgument(bool truth) { return truth ? "true" : "false"; }
const char *toArgument(const void *address) = delete; // would be a bool: pass it as a number

template <typename T> consteval ArgumentKind kindOf() {
  using Passed = decltype(toArgument(std::declval<const T &>()));
  return std::same_as<T, char>                ? ArgumentKind::Character
         : std::same_as<Passed, int64_t>      ? ArgumentKind::Signed
         : std::same_as<Passed, uint64_t>     ? ArgumentKind::Unsigned
         : std::same_as<Passed, const char *> ? ArgumentKind::Text
                                              : ArgumentKind::View;
}

template <typename... Args> consteval uint64_t kindsOf() {
  static_assert(sizeof...(Args) <= kMaxArguments);
  uint64_t kinds = 0;
  unsigned shift = 0;
  ((kinds |= static_cast<uint64_t>(kindOf<Args>()) << shift, shift += kKindBits), ...);
  return kinds;
}

/// A pattern for arguments of these types.
template <typename... Args> class PatternOf {
public:
  consteval PatternOf(const char *pattern) : pattern_(pattern) {
    const ArgumentKind kinds[] = {kindOf<Args>()..., ArgumentKind::None};
    bool isUsed[sizeof...(Args) + 1] = {};
    size_t next = 0;
    for (const char *at = pattern; *at; ++at) {
      if (*at != '{' && *at != '}')
        continue;
      if (at[1] == *at) {
        ++at;
        continue;
      }
      if (*at++ == '}')
        refuse("'}' without '{'");
      const size_t index = isDigit(*at) ? static_cast<size_t>(*at++ - '0') : next++;
      if (index >= sizeof...(Args))
        refuse("more arguments are named than there are");
      isUsed[index] = true;
      if (*at == ':') {
        if (kinds[index] != ArgumentKind::Signed && kinds[index] != ArgumentKind::Unsigned)
          refuse("only numbers have a format");
        at += at[1] == '#' ? 2 : 1;
        if (isDigit(*at) && *at != '0')
          refuse("a width without zeros in front");
        while (isDigit(*at))
          ++at;
        if (*at == 'x' || *at == 'o')
          ++at;
      }
      if (*at != '}')
        refuse("expected '}'");
    }
    for (size_t i = 0; i < sizeof...(Args); ++i)
      if (!isUsed[i])
        refuse("an argument is not used");
  }
  const char *text() const { return pattern_; }

private:
  static constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }
  /// Not constant: a call of it stops the compiler.
  static void refuse(const char *why) { (void)why; }
  const char *pattern_;
};
/// Takes its types from the arguments after it.
template <typename... Args> using Pattern = PatternOf<std::type_identity_t<Args>...>;

// The functions below take what kindsOf() says and toArgument() gives. They are thread-safe. The
// templates over them are always inlined: arguments then stay in registers.

/// Writes at most `size` bytes, the last of them a zero. Allocates nothing.
void formatList(char *buffer, size_t size, uint64_t kinds, const char *pattern,
                va_list arguments) noexcept;
void formatPassed(char *buffer, size_t size, uint64_t kinds, const char *pattern, ...) noexcept;
/// At most as much text as an error's message holds.
std::string formatList(uint64_t kinds, const char *pattern, va_list arguments);
std::string formatPassed(uint64_t kinds, const char *pattern, ...);
/// Throws Error. The lowest byte of `statusAndKinds` is the status.
[[noreturn, gnu::cold]] void failPassed(uint64_t statusAndKinds, const char *pattern, ...);

template <typename... Args>
[[gnu::always_inline]] inline std::string formatText(Pattern<Args...> pattern,
                                                     const Args &...arguments) {
  return formatPassed(kindsOf<Args...>(), pattern.text(), toArgument(arguments)...);
}

template <size_t size, typename... Args>
[[gnu::always_inline]] inline void formatTo(char (&buffer)[size], Pattern<Args...> pattern,
                                            const Args &...arguments) noexcept {
  formatPassed(buffer, size, kindsOf<Args...>(), pattern.text(), toArgument(arguments)...);
}

template <typename... Args>
[[noreturn, gnu::cold, gnu::always_inline]] inline void
fail(ttrt_status status, Pattern<Args...> pattern, const Args &...arguments) {
  failPassed(static_cast<uint8_t>(status) | kindsOf<Args...>() << 8, pattern.text(),
             toArgument(arguments)...);
}

/// The index of the name among those that at(table, i) gives for i below `count`. Throws
/// TTRT_NOT_FOUND, with all names: "no <what> '<wanted>'; <owner> has: a, b".
using NameAt = const char *(const void *table, uint32_t index);
uint32_t findName(const char *what, const char *wanted, const char *owner, uint32_t count,
                  const void *table, NameAt *at);

/// fail(TTRT_BAD_BUNDLE, ...), the status of almost every check.
template <typename... Args>
[[noreturn, gnu::cold, gnu::always_inline]] inline void failBad(Pattern<Args...> pattern,
                                                                const Args &...arguments) {
  fail(TTRT_BAD_BUNDLE, pattern, arguments...);
}

} // namespace ttrt

#endif // TTRT_LIB_BASE_FORMAT_H
