# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the blocks of C and C++ in the documentation use and do not declare, by their first line."""

GLOBALS = {
    "c": """
#include <stdio.h>
#include <ttrt/generate.h>
#include <ttrt/host.h>
#include <ttrt/memory.h>
#include <ttrt/pipeline.h>
#include <ttrt/profile.h>
#include <ttrt/queue.h>
#include <ttrt/shapes.h>
#include <ttrt/text.h>
static ttrt_bundle *bundle;
static ttrt_device *device;
static ttrt_generator *generator;
static ttrt_error error;
static int32_t token;
void use();
""",
    "cpp": """
#include "kernels/ZoneMarkers.h"
#include <thread>
#include <ttrt/pipeline.hpp>
#include <vector>
static ttrt_bundle *bundle;
static ttrt_device *device;
static const std::vector<std::vector<float>> images;
template <typename... Values> void use(Values &&...) {}
using namespace ttc::kernels;
""",
}

PIPELINE = "ttrt::Pipeline pipeline(bundle, device);"
CONTEXT = {
    "ttrt_generator_open(device, NULL, &generator, &error);": "static int32_t prompt[4]; uint64_t tokens = 4;",
    "for (uint32_t i = 0; i < ttrt_generator_sequences(generator) && i < prompts; ++i)":
        "static int32_t *prompt[4]; static uint64_t tokens[4]; uint32_t prompts = 4; static ttrt_generation generation;"
        "void begin_another(uint32_t);",
    "ttrt_model *model;": "static int64_t ids[3 * 37]; static float embeddings[8 * 512 * 384];",
    "ttrt_text *text;": "static int32_t tokens[2048]; size_t count, bytes; const char *piece;",
    "ttrt_text_chat_options options = TTRT_TEXT_CHAT_OPTIONS_INIT;":
        "static ttrt_text *text; static int32_t tokens[2048]; size_t count;",
    "for (int i = 0; i < n; ++i) {":
        "int n = 4; uint32_t trace = 0; uint64_t bytes = 4, size = 4; static void *inputs[4], *outputs[4]; static ttrt_event *written, *consumed;",
    "std::jthread feeder([&] {": PIPELINE,
    'TTC_ZONE(markers, "rows");               // the rest of the scope': "ProgramMarkers *markers = nullptr; uint64_t tiles = 4;",
}

# Pages with code of a source file of the compiler.
PROGRAMS = {"docs/onnx-import.md": "lib/Import/Onnx/Ops/UnaryOps.cpp"}
