// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C API of text.h. That tokens and prompts are those of other libraries is tested in
// test/ttrun (test_tokenizer.py, test_chat_template.py).

#include "ttrt/text.h"
#include "test/unit/Support/CountAllocations.h"
#include "test/unit/Support/GenerateBundle.h"
#include "test/unit/Support/Loaded.h"
#include "test/unit/Support/Rounds.h"
#include "ttrt/format/pre_tokenizers.h"

#include <chrono>
#include <random>
#include <thread>

using namespace ttrt;
using namespace ttrt::test;

namespace {

using Tokens = std::vector<int32_t>;

// The bytes of U+1F642 as tokens of their own, in the letters of vocabularies.
const std::string kTokenizer =
    R"({"model":"bpe","pre":"gpt-2","vocab":["<s>","</s>","a","b","ab","ð","Ł","Ļ","Ĥ",
      "Ġ","[tool]"],"types":[3,3,1,1,1,1,1,1,1,1,4],"merges":["a b"],"bos":0,"eos":1,
      "add_bos":true,"stop":[4]})";
/// A vocabulary of SentencePiece: all bytes, and a few tokens of text.
std::string sentencePiece() {
  std::string vocabulary = R"("<s>","</s>","▁a","ab","b","a","▁","[t]")", types = "3,3,1,1,1,1,1,4",
              ranks = "0,0,0,1,2,3,4,0";
  for (int byte = 0; byte < 256; ++byte) {
    char name[16];
    snprintf(name, sizeof(name), ",\"<0x%02X>\"", byte);
    vocabulary += name;
    types += ",6";
    ranks += ",0";
  }
  return R"({"model":"spm","vocab":[)" + vocabulary + R"(],"types":[)" + types + R"(],"ranks":[)" +
         ranks + R"(],"bos":0,"eos":1,"add_bos":true,"add_space_prefix":true,"stop":[1]})";
}

const std::string kTemplate =
    "{% for m in messages %}<s>{{ m.content }}</s>{% endfor %}{% if tools %}{{ tools | tojson }}"
    "{% endif %}{{ x }}{% if add_generation_prompt %}<s>{% endif %}";

class Text : public testing::Test {
protected:
  ~Text() override { ttrt_text_close(text); }

  ttrt_status open(const std::string &tokenizer, const char *chat = nullptr) {
    ttrt_text_close(text);
    return ttrt_text_open_metadata(tokenizer.data(), tokenizer.size(), chat,
                                   chat ? strlen(chat) : 0, &text, &error);
  }
  void openGood() { ASSERT_EQ(open(kTokenizer, kTemplate.c_str()), TTRT_OK) << error.message; }
  Tokens encode(const std::string &bytes, int control = 0, int noBos = 0) {
    ttrt_text_encoding options = TTRT_TEXT_ENCODING_INIT;
    options.control = control;
    options.no_bos = noBos;
    Tokens tokens(bytes.size() + 2);
    size_t count = 0;
    EXPECT_EQ(ttrt_text_encode(text, bytes.data(), bytes.size(), &options, tokens.data(),
                               tokens.size(), &count, &error),
              TTRT_OK)
        << error.message;
    tokens.resize(count);
    return tokens;
  }
  ttrt_status chat(const char *messages, const ttrt_text_chat_options *options = nullptr) {
    prompt.assign(1000, -1);
    size_t count = 0;
    const ttrt_status status =
        ttrt_text_chat(text, messages, options, prompt.data(), prompt.size(), &count, &error);
    prompt.resize(std::min(count, prompt.size()));
    return status;
  }
  std::string push(ttrt_text_stream *stream, int32_t token) {
    const char *piece = nullptr;
    size_t size = 0;
    EXPECT_EQ(ttrt_text_stream_push(stream, token, &piece, &size, &error), TTRT_OK);
    return {piece, size};
  }
  std::string finish(ttrt_text_stream *stream) {
    const char *piece = nullptr;
    size_t size = 0;
    EXPECT_EQ(ttrt_text_stream_finish(stream, &piece, &size, &error), TTRT_OK);
    return {piece, size};
  }
  void expectMessage(const std::string &words) {
    EXPECT_NE(std::string(error.message).find(words), std::string::npos) << error.message;
  }

  ttrt_text *text = nullptr;
  ttrt_error error;
  Tokens prompt;
};

TEST_F(Text, HasEveryPreTokenizerThatTheCompilerTakes) {
  for (const PreTokenizerName &known : kPreTokenizerNames)
    EXPECT_EQ(open(R"({"model":"bpe","vocab":["a"],"pre":")" + std::string(known.name) + "\"}"),
              TTRT_OK)
        << error.message;
}

TEST_F(Text, SentencePieceMergesByRank) {
  ASSERT_EQ(open(sentencePiece()), TTRT_OK) << error.message;
  EXPECT_EQ(encode(""), Tokens({0}));
  // The space that is put before belongs to the best merge: "▁a", "b", and not "▁", "ab".
  EXPECT_EQ(encode("ab"), Tokens({0, 2, 4}));
  EXPECT_EQ(encode("bab"), Tokens({0, 6, 4, 3}));
  EXPECT_EQ(encode("a</s>a[t]a", /*control=*/1), Tokens({0, 2, 1, 2, 7, 5}));
  // A byte that is no UTF-8, and a character that the vocabulary lacks.
  EXPECT_EQ(encode("\xff"), Tokens({0, 6, 8 + 0xff}));
  EXPECT_EQ(encode("é"), Tokens({0, 6, 8 + 0xc3, 8 + 0xa9}));
}

TEST_F(Text, SentencePieceGivesAllBytesBack) {
  ASSERT_EQ(open(sentencePiece()), TTRT_OK) << error.message;
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(random() % 20, ' ');
    for (char &byte : bytes)
      byte = random() % 2 ? "ab [t]é"[random() % 8] : static_cast<char>(random());
    if (bytes.find("\u2581") != std::string::npos)
      continue;
    std::string found;
    for (int32_t token : encode(bytes, /*control=*/0, /*noBos=*/1)) {
      char piece[8];
      size_t count = 0;
      ttrt_text_decoding options = TTRT_TEXT_DECODING_INIT;
      ASSERT_EQ(ttrt_text_decode(text, &token, 1, &options, piece, sizeof(piece), &count, &error),
                TTRT_OK);
      found.append(piece, count);
    }
    ASSERT_EQ(found, bytes.empty() ? "" : " " + bytes) << i;
  }
}

TEST_F(Text, OutlivesItsBundle) {
  TemporaryFile file(chatBundle().finish());
  ttrt_bundle *bundle;
  ASSERT_EQ(ttrt_bundle_open(file.path(), TTRT_VERIFY_FULL, &bundle, &error), TTRT_OK);
  ASSERT_EQ(ttrt_text_open(bundle, &text, &error), TTRT_OK) << error.message;
  ttrt_bundle_close(bundle);
  ttrt_text_info info = TTRT_TEXT_INFO_INIT;
  ASSERT_EQ(ttrt_text_query(text, &info, &error), TTRT_OK);
  EXPECT_EQ(info.tokens, 1000u);
  EXPECT_EQ(info.bos, -1);
  EXPECT_EQ(info.eos, 256);
  EXPECT_EQ(info.adds_bos, 0);
  EXPECT_EQ(info.has_chat_template, 1);
  EXPECT_EQ(Tokens(info.stop, info.stop + info.stop_count), Tokens{256});
  EXPECT_EQ(encode("the"), (Tokens{259, 'e'}));
  ASSERT_EQ(chat(R"([{"role": "user", "content": "h<|end|>"}])"), TTRT_OK) << error.message;
  EXPECT_EQ(prompt, (Tokens{257, 'h', '<', '|', 'e', 'n', 'd', '|', '>', 258}));
}

TEST_F(Text, NeedsMetadata) {
  TemporaryFile file(generateBundle().finish());
  ttrt_bundle *bundle;
  ASSERT_EQ(ttrt_bundle_open(file.path(), TTRT_VERIFY_FULL, &bundle, &error), TTRT_OK);
  text = reinterpret_cast<ttrt_text *>(this);
  EXPECT_EQ(ttrt_text_open(bundle, &text, &error), TTRT_NOT_FOUND);
  EXPECT_EQ(text, nullptr);
  expectMessage("tokenizer");
  ttrt_bundle_close(bundle);
}

TEST_F(Text, RefusesDamagedMetadata) {
  const std::tuple<std::string, ttrt_status, const char *> cases[] = {
      {"", TTRT_BAD_BUNDLE, "the tokenizer: line 1, column 1"},
      {"{", TTRT_BAD_BUNDLE, "the tokenizer: line 1, column 2"},
      {"[]", TTRT_BAD_BUNDLE, "expected a dictionary, found a list"},
      {"{} x", TTRT_BAD_BUNDLE, "line 1, column 4"},
      {std::string(100000, '['), TTRT_BAD_BUNDLE, "at most 64 levels"},
      {R"({"model":"rwkv"})", TTRT_UNSUPPORTED, "'unigram' or 'wordpiece', found 'rwkv'"},
      {R"({"model":"bpe","pre":"whitespace","vocab":["a"]})", TTRT_UNSUPPORTED,
       "found 'whitespace'"},
      {R"({"model":"bpe","pre":"gpt-2","vocab":[1]})", TTRT_BAD_BUNDLE,
       "expected a string, found an integer"},
      {R"({"model":"bpe","pre":"gpt-2","vocab":["a"],"add_bos":1})", TTRT_BAD_BUNDLE,
       "expected a boolean, found an integer"},
      {R"({"model":"bpe","pre":"gpt-2","vocab":["a"],"stop":[4294967296]})", TTRT_BAD_BUNDLE,
       "expected an integer from 0 to 16777215, found 4294967296"},
      {"{\"model\":\"\xff\"}", TTRT_BAD_BUNDLE, "ill-formed UTF-8"}};
  for (const auto &[json, status, words] : cases) {
    EXPECT_EQ(open(json), status) << json.substr(0, 100);
    EXPECT_EQ(text, nullptr);
    expectMessage(words);
  }
  std::string fields = "{\"0\":0";
  for (int i = 1; i <= 1000; ++i)
    fields += ",\"" + std::to_string(i) + "\":0";
  EXPECT_EQ(open(fields + "}"), TTRT_BAD_BUNDLE);
  expectMessage("at most 1000 fields");
}

TEST_F(Text, RefusesWrongArguments) {
  openGood();
  size_t count = 7;
  int32_t token = 0;
  char byte = 0;
  const char *piece;
  ttrt_text *opened;
  ttrt_text_stream *stream;
  ttrt_text_info info = TTRT_TEXT_INFO_INIT;
  for (ttrt_status status :
       {ttrt_text_open(nullptr, &opened, &error),
        ttrt_text_open(nullptr, nullptr, &error),
        ttrt_text_open_metadata(nullptr, 0, nullptr, 0, &opened, &error),
        ttrt_text_open_metadata("{}", 2, nullptr, 0, nullptr, &error),
        ttrt_text_query(nullptr, &info, &error),
        ttrt_text_query(text, nullptr, &error),
        ttrt_text_encode(nullptr, "", 0, nullptr, &token, 1, &count, &error),
        ttrt_text_encode(text, nullptr, 1, nullptr, &token, 1, &count, &error),
        ttrt_text_encode(text, "a", 1, nullptr, nullptr, 1, &count, &error),
        ttrt_text_encode(text, "a", 1, nullptr, &token, 1, nullptr, &error),
        ttrt_text_decode(nullptr, &token, 1, nullptr, &byte, 1, &count, &error),
        ttrt_text_decode(text, nullptr, 1, nullptr, &byte, 1, &count, &error),
        ttrt_text_decode(text, &token, 1, nullptr, nullptr, 1, &count, &error),
        ttrt_text_decode(text, &token, 1, nullptr, &byte, 1, nullptr, &error),
        ttrt_text_stream_open(nullptr, nullptr, &stream, &error),
        ttrt_text_stream_open(text, nullptr, nullptr, &error),
        ttrt_text_stream_push(nullptr, 0, &piece, &count, &error),
        ttrt_text_stream_finish(nullptr, &piece, &count, &error),
        ttrt_text_chat(nullptr, "[]", nullptr, &token, 1, &count, &error),
        ttrt_text_chat(text, nullptr, nullptr, &token, 1, &count, &error),
        ttrt_text_chat(text, "[]", nullptr, nullptr, 1, &count, &error),
        ttrt_text_chat(text, "[]", nullptr, &token, 1, nullptr, &error),
        ttrt_text_chat_text(text, "[]", nullptr, nullptr, 1, &count, &error)})
    EXPECT_EQ(status, TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(count, 7u);
  EXPECT_EQ(ttrt_text_encode(text, nullptr, 1, nullptr, &token, 1, &count, nullptr),
            TTRT_INVALID_ARGUMENT); // without an error
  for (int32_t wrong : {-1, 11, INT32_MAX, INT32_MIN})
    EXPECT_EQ(ttrt_text_decode(text, &wrong, 1, nullptr, &byte, 1, &count, &error),
              TTRT_INVALID_ARGUMENT);
  expectMessage("expected a token from 0 to 10, found -2147483648");
  const std::string longText((size_t(64) << 20) + 1, 'a');
  EXPECT_EQ(
      ttrt_text_encode(text, longText.data(), longText.size(), nullptr, nullptr, 0, &count, &error),
      TTRT_INVALID_ARGUMENT);
  expectMessage("at most 67108864 bytes");
  ttrt_text_close(nullptr);
  ttrt_text_stream_close(nullptr);
}

/// A name that comes twice has its first place and its last value.
TEST_F(Text, ReadsObjectsOfManyFields) {
  ASSERT_EQ(open(kTokenizer, "{% set m = messages[0] %}{{ 'b' * m.a }}{{ m | list | first }}"
                             "{{ 'a' * m.b }}"),
            TTRT_OK);
  for (int more : {0, 900}) {
    std::string object = R"([{"a": 5, "b": 2)";
    for (int i = 0; i < more; ++i)
      object += ", \"x" + std::to_string(i) + "\": 0";
    ASSERT_EQ(chat((object + R"(, "a": 3}])").c_str()), TTRT_OK) << error.message;
    EXPECT_EQ(prompt, (Tokens{0, 3, 3, 3, 2, 2, 2}));
  }
}

/// 200,000 fields in objects of different sizes: all fields of an object are not searched for each.
TEST_F(Text, ReadsObjectsInLinearTime) {
  ASSERT_EQ(open(kTokenizer, "{{ messages | length }}"), TTRT_OK);
  auto seconds = [&](int size) {
    std::string object;
    for (int i = 0; i < size; ++i)
      object += (i ? ",\"a name of a field, number " : "{\"a name of a field, number ") +
                std::to_string(100000 + i) + "\":0";
    std::string objects = "[";
    for (int i = 0; i < 20000 / size; ++i)
      objects += (i ? "," : "") + object + "}";
    objects += "]";
    double least = 1e9;
    for (int i = 0; i < 3; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      EXPECT_EQ(chat(objects.c_str()), TTRT_OK) << error.message;
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
      least = std::min(least, time.count());
    }
    return least;
  };
  EXPECT_LT(seconds(1000), 4 * seconds(10));
}

/// A model can have more tokens than there are texts.
TEST_F(Text, GivesPaddingNoText) {
  BundleBuilder builder = chatBundle();
  auto vocabulary = std::make_unique<fb::MetadatumT>();
  vocabulary->key = "vocabulary";
  auto openWith = [&](std::string_view number) {
    vocabulary->value.assign(number.begin(), number.end());
    builder.bundle.metadata.push_back(std::make_unique<fb::MetadatumT>(*vocabulary));
    const TemporaryFile file{builder.finish()};
    builder.bundle.metadata.pop_back();
    ttrt_bundle *bundle;
    EXPECT_EQ(ttrt_bundle_open(file.path(), TTRT_VERIFY_FULL, &bundle, &error), TTRT_OK)
        << error.message;
    ttrt_text_close(text);
    const ttrt_status status = ttrt_text_open(bundle, &text, &error);
    ttrt_bundle_close(bundle);
    return status;
  };
  ASSERT_EQ(openWith("1024"), TTRT_OK) << error.message;
  ttrt_text_info info = TTRT_TEXT_INFO_INIT;
  ASSERT_EQ(ttrt_text_query(text, &info, &error), TTRT_OK);
  EXPECT_EQ(info.tokens, 1000u);
  ttrt_text_stream *stream;
  ASSERT_EQ(ttrt_text_stream_open(text, nullptr, &stream, &error), TTRT_OK);
  EXPECT_EQ(push(stream, 0xf0), "");
  for (int32_t token : {1000, 1023})
    EXPECT_EQ(push(stream, token), "");
  EXPECT_EQ(push(stream, 0x9f), "");
  EXPECT_EQ(push(stream, 0x99), "");
  EXPECT_EQ(push(stream, 0x82), "\U0001f642");
  const char *piece;
  size_t size;
  EXPECT_EQ(ttrt_text_stream_push(stream, 1024, &piece, &size, &error), TTRT_INVALID_ARGUMENT);
  expectMessage("expected a token from 0 to 1023, found 1024");
  ttrt_text_stream_close(stream);
  const Tokens tokens = {'a', 1023, 'b'};
  char bytes[2];
  ASSERT_EQ(ttrt_text_decode(text, tokens.data(), 3, nullptr, bytes, 2, &size, &error), TTRT_OK);
  EXPECT_EQ(std::string_view(bytes, size), "ab");
  ASSERT_EQ(openWith("7"), TTRT_OK); // fewer than there are texts
  ASSERT_EQ(ttrt_text_decode(text, tokens.data(), 1, nullptr, bytes, 2, &size, &error), TTRT_OK);
  for (const char *wrong : {"", "many", "12x", "-1"})
    EXPECT_EQ(openWith(wrong), TTRT_BAD_BUNDLE) << wrong;
}

TEST_F(Text, ReadsStructsOfOtherReleases) {
  openGood();
  struct {
    ttrt_text_encoding options;
    size_t later;
  } encoding = {TTRT_TEXT_ENCODING_INIT, 0};
  size_t count;
  auto encodeWith = [&] {
    return ttrt_text_encode(text, "a", 1, &encoding.options, nullptr, 0, &count, nullptr);
  };
  encoding.options.size = sizeof(encoding);
  EXPECT_EQ(encodeWith(), TTRT_INVALID_ARGUMENT); // no room for two tokens
  EXPECT_EQ(count, 2u);
  encoding.later = 1;
  EXPECT_EQ(encodeWith(), TTRT_UNSUPPORTED);
  encoding.options.size = 0;
  EXPECT_EQ(encodeWith(), TTRT_INVALID_ARGUMENT);
  struct {
    ttrt_text_info info;
    size_t later;
  } result;
  memset(&result, 0xaa, sizeof(result));
  result.info.size = sizeof(result);
  ASSERT_EQ(ttrt_text_query(text, &result.info, &error), TTRT_OK);
  EXPECT_EQ(result.later, 0u);
  EXPECT_EQ(result.info.size, sizeof(result));
  EXPECT_EQ(result.info.stop_count, 2u);
}

TEST_F(Text, EncodesAndDecodes) {
  openGood();
  EXPECT_EQ(encode("ab"), (Tokens{0, 4}));
  EXPECT_EQ(encode("ab", 0, /*noBos=*/1), Tokens{4});
  EXPECT_EQ(encode(""), Tokens{0});
  EXPECT_EQ(encode("<s>a", /*control=*/1), (Tokens{0, 2})); // not twice
  EXPECT_EQ(encode("a</s>", /*control=*/1), (Tokens{0, 2, 1}));
  EXPECT_EQ(encode("a</s>"), (Tokens{0, 2})); // the vocabulary lacks the letters of the name
  EXPECT_EQ(encode("[tool]"), (Tokens{0, 10}));
  EXPECT_EQ(encode("\U0001f642"), (Tokens{0, 5, 6, 7, 8}));
  const Tokens tokens = {0, 4, 9, 5, 1, 2};
  size_t count = 0;
  char bytes[9] = "--------";
  ASSERT_EQ(ttrt_text_decode(text, tokens.data(), tokens.size(), nullptr, bytes, 8, &count, &error),
            TTRT_OK);
  EXPECT_EQ(std::string(bytes, count), "ab \xf0"
                                       "a");
  EXPECT_EQ(bytes[5], '-');
  ttrt_text_decoding options = TTRT_TEXT_DECODING_INIT;
  options.control = 1;
  char more[12];
  ASSERT_EQ(
      ttrt_text_decode(text, tokens.data(), tokens.size(), &options, more, 12, &count, &error),
      TTRT_OK);
  EXPECT_EQ(std::string(more, count), "<s>ab \xf0</s>a");
}

TEST_F(Text, SaysHowLargeABufferMustBe) {
  openGood();
  size_t count = 0;
  int32_t tokens[4] = {-7, -7, -7, -7};
  EXPECT_EQ(ttrt_text_encode(text, "aaaa", 4, nullptr, tokens, 4, &count, &error),
            TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(count, 5u);
  EXPECT_EQ(tokens[0], -7);
  expectMessage("expected room for 5 elements, found 4");
  EXPECT_EQ(ttrt_text_chat(text, R"([{"content":"a"}])", nullptr, nullptr, 0, &count, &error),
            TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(count, 4u);
  const int32_t token = 4;
  EXPECT_EQ(ttrt_text_decode(text, &token, 1, nullptr, nullptr, 0, &count, &error),
            TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(ttrt_text_decode(text, nullptr, 0, nullptr, nullptr, 0, &count, &error), TTRT_OK);
  EXPECT_EQ(count, 0u);
}

TEST_F(Text, StreamsWholeCharacters) {
  openGood();
  ttrt_text_stream *stream;
  ASSERT_EQ(ttrt_text_stream_open(text, nullptr, &stream, &error), TTRT_OK);
  ttrt_text_close(text); // the stream keeps it
  text = nullptr;
  EXPECT_EQ(push(stream, 4), "ab");
  EXPECT_EQ(push(stream, 0), ""); // a control token
  for (int32_t token : {5, 6, 7})
    EXPECT_EQ(push(stream, token), "");
  const char *piece = "-";
  size_t size = 1;
  EXPECT_EQ(ttrt_text_stream_push(stream, 11, &piece, &size, &error), TTRT_INVALID_ARGUMENT);
  EXPECT_EQ(size, 1u);
  EXPECT_EQ(push(stream, 8), "\U0001f642");
  EXPECT_EQ(push(stream, 7), "\ufffd"); // begins no character
  EXPECT_EQ(push(stream, 5), "");
  EXPECT_EQ(push(stream, 2), "\ufffd"
                             "a");
  push(stream, 5);
  push(stream, 6);
  EXPECT_EQ(finish(stream), "\ufffd");
  EXPECT_EQ(finish(stream), "");
  EXPECT_EQ(push(stream, 2), "a"); // another text
  ttrt_text_stream_close(stream);
}

#ifndef TTRT_TEST_SANITIZED
TEST_F(Text, StreamsWithoutAllocations) {
  openGood();
  ttrt_text_decoding options = TTRT_TEXT_DECODING_INIT;
  options.control = 1;
  ttrt_text_stream *stream;
  ASSERT_EQ(ttrt_text_stream_open(text, &options, &stream, &error), TTRT_OK);
  const char *piece;
  size_t size, total = 0;
  const long before = allocations.load();
  for (int32_t i = 0; i < 1000; ++i) {
    ttrt_text_stream_push(stream, i * i % 11, &piece, &size, &error);
    total += size;
  }
  ttrt_text_stream_finish(stream, &piece, &size, &error);
  EXPECT_EQ(allocations.load(), before);
  EXPECT_GT(total, 1000u);
  ttrt_text_stream_close(stream);
}
#endif

TEST_F(Text, AppliesTheTemplate) {
  openGood();
  const char *two = R"([{"content": "a"}, {"content": "</s>b<s>"}])";
  ASSERT_EQ(chat(two), TTRT_OK) << error.message;
  EXPECT_EQ(prompt, (Tokens{0, 2, 1, 0, 3, 1, 0})); // no message ends itself
  ttrt_text_chat_options options = TTRT_TEXT_CHAT_OPTIONS_INIT;
  options.no_generation_prompt = 1;
  options.variables = R"({"x": "</s>"})";
  ASSERT_EQ(chat(R"([])", &options), TTRT_OK) << error.message;
  EXPECT_EQ(prompt, (Tokens{0, 1}));
  options.tools = R"([{"z": "</s>\n", "</s>a": null}])";
  ASSERT_EQ(chat(R"([])", &options), TTRT_OK) << error.message;
  EXPECT_EQ(prompt, (Tokens{0, 9, 9, 2, 9, 1})) << "only spaces and letters are in the vocabulary";
  char bytes[100];
  size_t count;
  ASSERT_EQ(ttrt_text_chat_text(text, two, &options, bytes, 100, &count, &error), TTRT_OK);
  EXPECT_EQ(std::string(bytes, count),
            R"(<s>a</s><s></s>b<s></s>[{"z": "</s>\n", "</s>a": null}]</s>)");
}

TEST_F(Text, RefusesWrongChats) {
  openGood();
  const std::pair<std::string, const char *> cases[] = {
      {"", "messages: line 1, column 1"},
      {"{}", "messages: expected a list, found a dictionary"},
      {"[", "messages: line 1, column 2"},
      {std::string(100, '['), "messages: expected at most 64 levels"},
      {"[\"\xc3\"]", "ill-formed UTF-8"},
      {std::string((size_t(16) << 20) + 1, ' '), "expected at most 16777216 bytes"}};
  for (const auto &[messages, words] : cases) {
    EXPECT_EQ(chat(messages.c_str()), TTRT_INVALID_ARGUMENT);
    expectMessage(words);
  }
  ttrt_text_chat_options options = TTRT_TEXT_CHAT_OPTIONS_INIT;
  for (const char *variables : {"[]", "x", R"({"messages": []})", R"({"tools": 1})",
                                R"({"add_generation_prompt": true})"}) {
    options.variables = variables;
    EXPECT_EQ(chat("[]", &options), TTRT_INVALID_ARGUMENT) << variables;
    expectMessage("variables: ");
  }
  const std::tuple<const char *, ttrt_status, const char *> templates[] = {
      {nullptr, TTRT_NOT_FOUND, "there is no chat template"},
      {"\n{% if %}", TTRT_BAD_BUNDLE, "the chat template, line 2: "},
      {"{{ raise_exception('no') }}", TTRT_FAILED, "refuses the messages: no"},
      {"{% for a in range(9999) %}{% for b in range(9999) %}{{ b }}{% endfor %}{% endfor %}",
       TTRT_FAILED, "expected at most"}};
  for (const auto &[source, status, words] : templates) {
    // The last one takes half a minute. RandomTemplates have other budgets.
    if (test::kIsSanitized && !test::isNightly() && source == std::get<0>(templates[3]))
      continue;
    ASSERT_EQ(open(kTokenizer, source), TTRT_OK) << error.message;
    EXPECT_EQ(encode("ab"), (Tokens{0, 4})); // the tokenizer is good
    EXPECT_EQ(chat("[]"), status);
    expectMessage(words);
  }
  const std::string large = "a" + std::string(size_t(1) << 20, ' ');
  ASSERT_EQ(open(kTokenizer, large.c_str()), TTRT_OK);
  EXPECT_EQ(chat("[]"), TTRT_BAD_BUNDLE);
  expectMessage("at most 1 MiB");
}

TEST_F(Text, IsSharedByThreads) {
  openGood();
  const std::string words = "ab a \U0001f642\xff [tool] abab";
  const Tokens expected = encode(words, 1);
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      bool same = true;
      for (int repeat = 0; repeat < 200; ++repeat) {
        Tokens tokens(100);
        size_t count;
        ttrt_text_encoding options = TTRT_TEXT_ENCODING_INIT;
        options.control = 1;
        ttrt_text_encode(text, words.data(), words.size(), &options, tokens.data(), 100, &count,
                         nullptr);
        tokens.resize(count);
        same &= tokens == expected;
        int32_t made[100];
        same &= ttrt_text_chat(text, R"([{"content":"ab"}])", nullptr, made, 100, &count,
                               nullptr) == TTRT_OK &&
                count == 4 && made[1] == 4;
      }
      good += same;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, 4);
}

} // namespace
