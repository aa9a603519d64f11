# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The regular expressions of public vocabularies, as they were trained: each cuts the pieces of the one before, as `Split` with
the behaviour "isolated" does in PyPI's package `tokenizers`."""

ENDINGS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
SPACES = r"|\s+(?!\S)|\s+"
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+" + SPACES
WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+"


def llama(number, endings=ENDINGS + "|"):
    return endings + WORDS + "|" + number + r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+" + SPACES


def cased(number, ending=ENDINGS + "?", last=r"[\r\n/]*", but=""):
    upper, lower = (rf"[{kinds}\p{{Lm}}\p{{Lo}}\p{{M}}{but}]" for kinds in (r"\p{Lu}\p{Lt}", r"\p{Ll}"))
    return (rf"[^\r\n\p{{L}}\p{{N}}]?{upper}*{lower}+{ending}|[^\r\n\p{{L}}\p{{N}}]?{upper}+{lower}*{ending}|{number}"
            rf"| ?[^\s\p{{L}}\p{{N}}]+{last}|\s*[\r\n]+" + SPACES)


DEEPSEEK = (r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+""")
DEEPSEEK3 = DEEPSEEK + r"[\r\n]*|\s*[\r\n]+" + SPACES
CHINESE = "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"
ASIAN = "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"
BLOOM = " ?[^(\\s|.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c)]+"
LATIN = (
    "A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af\u0370-\u0373\u0376\u0377"
    "\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5\u03f7-\u0481\u048a-\u052f\u0531-\u0556\u10a0-"
    "\u10c5\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a\u1e00-\u1f15\u1f18-"
    "\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe\u1fc2-"
    "\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc\u2102\u2107\u210a-\u2113\u2115"
    "\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139\u213c-\u213f\u2145-\u2149\u214e\u2183\u2184\u2c00-"
    "\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e\uab70-"
    "\uabbf\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a\U00010400-\U0001044f\U000104b0-\U000104d3\U000104d8-"
    "\U000104fb\U00010c80-\U00010cb2\U00010cc0-\U00010cf2\U000118a0-\U000118df\U0001e900-\U0001e943")
UNSPACED = (
    "\u4e00-\u9fff\u3400-\u4dbf\u8c48-\ufaff\u3040-\u309f\u30a0-\u30ff\uff65-\uff9f\u2f00-\u2fdf\u0e40-\u0e7f\u0e80-\u0eff"
    "\u1780-\u17ff\u1000-\u109f\uaa60-\uaa7f\ua9e0-\ua9ff\uac00-\ud7af\u1100-\u11ff")

EXPRESSIONS = {
    "afmoe": [r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))", f"[{UNSPACED}]+", DEEPSEEK3],
    "bailingmoe": [r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]" + SPACES],
    "bloom": [BLOOM],
    "chameleon": ["<sentinel:[0-9]+>", "(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z", "([\\t\\n]|    |  )", r"\p{N}", r"[\p{P}!-/:-@\[-`{-~]", GPT2],
    "deepseek-coder": ["[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", ASIAN, r"\p{N}"],
    "deepseek-llm": ["[\r\n]", rf"\s?[{LATIN}]+", "\\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+", r"\s+$", ASIAN, r"\p{N}+"],
    "deepseek-v3": [r"\p{N}{1,3}", CHINESE, DEEPSEEK3],
    "default": [r"[\p{P}\$\+<=>\^~\|]+", GPT2, r"\p{N}+", "[0-9][0-9][0-9]"],
    "exaone-moe": [ENDINGS + r"|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]" + SPACES],
    "falcon": [r"[\p{P}\$\+<=>\^~\|`]+", GPT2, "[0-9][0-9][0-9]"],
    "gemma4": [r"[^\n]+|[\n]+"],
    "gpt-2": [GPT2],
    "gpt-4o": [cased(r"\p{N}{1,3}")],
    "jais-2": [ENDINGS + "|" + WORDS + r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+" +
               "".join(rf"|\s{{{count}}}(?!\S)" for count in ("512", "256", "128", "64", "32", "16", "8", "4", "1,2")) + r"|\s{1}"],
    "kimi-k2": [r"[\p{Han}]+|" + cased(r"\p{N}{1,3}", last=r"[\r\n]*", but=r"&&[^\p{Han}]")],
    "laguna": [r"[^\n]+|[\n]+", llama(r"\p{N}")],
    "llama-bpe": [llama(r"\p{N}{1,3}")],
    "minicpm5": [r"\p{N}{1,3}", llama(r"\p{N}+")],
    "qwen2": [llama(r"\p{N}")],
    "qwen35": [ENDINGS + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+" + SPACES],
    "sarvam-moe": [r"[^\n]+|[\n]+"],
    "seed-coder": [ENDINGS + "|" + WORDS + r"|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+" + SPACES],
    "smollm": [r"\p{N}", GPT2],
    "spark2_5": [r"\p{N}{1,3}", CHINESE, DEEPSEEK + r"|[\r\n]" + SPACES, r"\p{N}"],
    "superbpe": [r"\p{N}+", r"(?=(\p{Nd}{3})+(?!\p{Nd}))"],
    "tekken": [cased(r"\p{N}", ending="")],
    "tiny_aya": [r"\d{1,3}(?=(?:\d{3})*\b)", cased(r"\p{N}{1,3}")],
    "ufakzeka": [llama(r"\p{N}", endings="")],
    "viking": [BLOOM, r"\p{N}"],
    "youtu": ["[\uac00-\ud7a3\u3131-\u318e]+|[\uff01\u2026\u201c\u201d\u2018\u2019\u2014\uff1a\uff1b\uff0c\u3001-\u303f\ufe30-\ufe4f]+|[\u3105-\u312f]+|" + CHINESE, cased(r"\p{N}")],
}

# Where expressions differ: capitals, numbers of any length, spaces and newlines, contractions, scripts, marks.
TEXTS = [
    "HTTPServer parseURL eBay iPhone XMLHttpRequest \u00c9t\u00e9 \u0152UVRE \u01c5ak", "DON'T don't Don'T we'LL I'VE they're 'SAY' 'd'",
    "1 12 123 1234 12345 123456 1234567 3.14159 1,234,567 v10 x1234y 00012 \u0661\u0662\u0663\u0664 12\u00bd345 \u00bd12", "7ab 12ab 1234ab 1234_ 1234\u216b 99\u24b6",
    "a  b   c \t d\t\te \n\n f\r\n\r\ng \n", "   \n   x", "x   ", "  x\n  y\n\n\n  ", "a/b\\c // d /* e */\n/\n", "a.b...c !! ?! (x) [y] {z} <w> $1 +2 =3 ^4 ~5 |6 `7",
    "\u4e16\u754c hello\u4e16\u754c\u3002\u3053\u3093\u306b\u3061\u306f \u30ab\u30bf\u30ab\u30ca \ud55c\uad6d\uc5b4 \u3005\u3007\u2e80", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35 \u0928\u092e\u0938\u094d\u0924\u0947 e\u0301a \u0301x",
    "<sentinel:12>IMGIMGABCZ IMGIMGJZ <sentinel:x>", "(a|b), c; d: e\u2026 f\u060c g\u3001h", "the cat sat on the mat a b c\u0301 d 1 e", "x" * 40 + " " * 40 + "y", " " * 700 + "z",
    "\u2018a\u2019 \u201cb\u201d \uff08c\uff09 \uff01\u3000\u3001", "\u3105\u3106\u4e00 \u3131\u3132\uac00", "if (a<b && c>=d) return -1; // \u00fc",
]
