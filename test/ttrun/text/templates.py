# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chat templates in the manner of those that models ship with."""

CHATML = """{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}{% endfor %}
{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}
"""

SMOLLM2 = """{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system
You are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>
' }}{% endif %}{{'<|im_start|>' + message['role'] + '
' + message['content'] + '<|im_end|>' + '
'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant
' }}{% endif %}"""

LLAMA2 = """{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}{% set system_message = messages[0]['content'] %}\
{% else %}{% set loop_messages = messages %}{% set system_message = false %}{% endif %}\
{% for message in loop_messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}\
{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}\
{% if loop.index0 == 0 and system_message != false %}{% set content = '<<SYS>>\\n' + system_message + '\\n<</SYS>>\\n\\n' + message['content'] %}\
{% else %}{% set content = message['content'] %}{% endif %}\
{% if message['role'] == 'user' %}{{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}\
{% elif message['role'] == 'assistant' %}{{ ' '  + content.strip() + ' ' + eos_token }}{% endif %}{% endfor %}"""

LLAMA3 = """{% set loop_messages = messages %}{% for message in loop_messages %}\
{% set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n'+ message['content'] | trim + '<|eot_id|>' %}\
{% if loop.index0 == 0 %}{% set content = bos_token + content %}{% endif %}{{ content }}{% endfor %}\
{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}"""

LLAMA31 = """{{- bos_token }}
{%- if custom_tools is defined %}
    {%- set tools = custom_tools %}
{%- endif %}
{%- if not tools_in_user_message is defined %}
    {%- set tools_in_user_message = true %}
{%- endif %}
{%- if not date_string is defined %}
    {%- set date_string = "26 Jul 2024" %}
{%- endif %}
{%- if not tools is defined %}
    {%- set tools = none %}
{%- endif %}

{#- The system message comes first -#}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}

{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{%- if builtin_tools is defined or tools is not none %}
    {{- "Environment: ipython\\n" }}
{%- endif %}
{%- if builtin_tools is defined %}
    {{- "Tools: " + builtin_tools | reject('equalto', 'code_interpreter') | join(", ") + "\\n\\n"}}
{%- endif %}
{{- "Cutting Knowledge Date: December 2023\\n" }}
{{- "Today Date: " + date_string + "\\n\\n" }}
{%- if tools is not none and not tools_in_user_message %}
    {{- "You have access to the following functions." }}
    {%- for t in tools %}
        {{- t | tojson(indent=4) }}
        {{- "\\n\\n" }}
    {%- endfor %}
{%- endif %}
{{- system_message }}
{{- "<|eot_id|>" }}

{%- if tools_in_user_message and not tools is none %}
    {%- if messages | length != 0 %}
        {%- set first_user_message = messages[0]['content']|trim %}
        {%- set messages = messages[1:] %}
    {%- else %}
        {{- raise_exception("Cannot put tools in the first user message when there's no first user message!") }}
{%- endif %}
    {{- '<|start_header_id|>user<|end_header_id|>\\n\\n' -}}
    {%- for t in tools %}
        {{- t | tojson(indent=4) }}
        {{- "\\n\\n" }}
    {%- endfor %}
    {{- first_user_message + "<|eot_id|>"}}
{%- endif %}

{%- for message in messages %}
    {%- if not (message.role == 'ipython' or message.role == 'tool' or 'tool_calls' in message) %}
        {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ message['content'] | trim + '<|eot_id|>' }}
    {%- elif 'tool_calls' in message %}
        {%- if not message.tool_calls|length == 1 %}
            {{- raise_exception("This model only supports single tool-calls at once!") }}
        {%- endif %}
        {%- set tool_call = message.tool_calls[0].function %}
        {%- if builtin_tools is defined and tool_call.name in builtin_tools %}
            {{- "<|python_tag|>" + tool_call.name + ".call(" }}
            {%- for arg_name, arg_val in tool_call.arguments | items %}
                {{- arg_name + '="' + arg_val + '"' }}
                {%- if not loop.last %}
                    {{- ", " }}
                {%- endif %}
                {%- endfor %}
            {{- ")" }}
        {%- else  %}
            {{- '{"name": "' + tool_call.name + '", ' }}
            {{- '"parameters": ' }}
            {{- tool_call.arguments | tojson }}
            {{- "}" }}
        {%- endif %}
        {{- "<|eot_id|>" }}
    {%- elif message.role == "tool" or message.role == "ipython" %}
        {{- "<|start_header_id|>ipython<|end_header_id|>\\n\\n" }}
        {%- if message.content is mapping or message.content is iterable %}
            {{- message.content | tojson }}
        {%- else %}
            {{- message.content }}
        {%- endif %}
        {{- "<|eot_id|>" }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
"""

QWEN25 = """{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0]['role'] == 'system' %}
        {{- messages[0]['content'] }}
    {%- else %}
        {{- 'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.' }}
    {%- endif %}
    {{- "\\n\\n# Tools\\n\\n<tools>" }}
    {%- for tool in tools %}
        {{- "\\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- "\\n</tools><|im_end|>\\n" }}
{%- else %}
    {%- if messages[0]['role'] == 'system' %}
        {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}
    {%- else %}
        {{- '<|im_start|>system\\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>\\n' }}
    {%- endif %}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) or (message.role == "assistant" and not message.tool_calls) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {{- '<|im_start|>' + message.role }}
        {%- if message.content %}
            {{- '\\n' + message.content }}
        {%- endif %}
        {%- for tool_call in message.tool_calls %}
            {%- if tool_call.function is defined %}
                {%- set tool_call = tool_call.function %}
            {%- endif %}
            {{- '\\n<tool_call>\\n{"name": "' }}
            {{- tool_call.name }}
            {{- '", "arguments": ' }}
            {{- tool_call.arguments | tojson }}
            {{- '}\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == "tool" %}
        {%- if (loop.index0 == 0) or (messages[loop.index0 - 1].role != "tool") %}
            {{- '<|im_start|>user' }}
        {%- endif %}
        {{- '\\n<tool_response>\\n' }}
        {{- message.content }}
        {{- '\\n</tool_response>' }}
        {%- if loop.last or (messages[loop.index0 + 1].role != "tool") %}
            {{- '<|im_end|>\\n' }}
        {%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""

# In the manner of Qwen 3: namespaces, steps backwards, methods of strings.
QWEN3 = """{%- set ns = namespace(multi_step_tool=true, last_query_index=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.multi_step_tool and message.role == "user" and not(message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}
        {%- set ns.multi_step_tool = false %}
        {%- set ns.last_query_index = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.content is string %}
        {%- set content = message.content %}
    {%- else %}
        {%- set content = '' %}
    {%- endif %}
    {%- if message.role == "assistant" %}
        {%- set reasoning_content = '' %}
        {%- if '</think>' in content %}
            {%- set reasoning_content = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
            {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
        {%- endif %}
        {%- if loop.index0 > ns.last_query_index %}
            {%- if loop.last or (not loop.last and reasoning_content) %}
                {{- '<|im_start|>' + message.role + '\\n<think>\\n' + reasoning_content.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
            {%- else %}
                {{- '<|im_start|>' + message.role + '\\n' + content }}
            {%- endif %}
        {%- else %}
            {{- '<|im_start|>' + message.role + '\\n' + content }}
        {%- endif %}
        {{- '<|im_end|>\\n' }}
    {%- else %}
        {{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>' + '\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}"""

MODELS = {"chatml": CHATML, "smollm2": SMOLLM2, "llama2": LLAMA2, "llama3": LLAMA3, "llama3.1": LLAMA31, "qwen2.5": QWEN25,
          "qwen3": QWEN3}

# Small templates, for one thing each. {x: [1, 2, 3], s: " Ab c\n", d: {"k": "v", "n": 2}, e: [], none: None, t: True}
SMALL = [
    "a{% if t %}\n  b\n{% endif %}\nc\n", "  {% if t %}\n  b\n  {% endif %}\n  c\n\n", "x  {%- if t -%}  y  {%- endif %}  z",
    "a {#- c -#} b{# c #}\nd", "{%+ if t %}\n x{% endif +%}\n y", "  {{ 1 }}\n  {{- 2 -}}\n  {{ 3 }}", "{{ '%}' }}{{ '}}' }}{{ {'a': {'b': 1}}.a.b }}",
    "{% for i in x %}{{ loop.index }}{{ loop.index0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.revindex }}{{ loop.revindex0 }}"
    "{{ loop.previtem }}{{ loop.nextitem }}{{ loop.depth }};{% endfor %}",
    "{% for i in e %}a{% else %}none{% endfor %}", "{% for i in x if i != 2 %}{{ i }}{{ loop.last }}{% endfor %}",
    "{% for i in x %}{% if i == 2 %}{% continue %}{% endif %}{{ i }}{% endfor %}|{% for i in x %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}",
    "{% for i in x %}{% for j in x %}{{ i * j }}{% if j == i %}{% break %}{% endif %}{% endfor %},{% endfor %}",
    "{% set a = 1 %}{% for i in x %}{% set a = a + i %}{{ a }}{% endfor %}{{ a }}", "{% set ns = namespace(a=1) %}{% for i in x %}{% set ns.a = ns.a + i %}{% endfor %}{{ ns.a }}",
    "{% set a, b = 1, 'x' %}{{ a }}{{ b }}", "{% set a %}x{{ t }}{% endset %}[{{ a }}]{{ a|length }}", "{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}",
    "{% for k, v in d|items %}{{ k }}{% endfor %}{% for k in d %}{{ k }}{% endfor %}{{ d.keys()|list }}{{ d.get('k') }}{{ d.get('q', 5) }}{{ d.get('q') }}",
    "{{ s|trim }}|{{ s.strip() }}|{{ s.rstrip() }}|{{ s.lstrip() }}|{{ s|upper }}{{ s.lower() }}{{ s|length }}{{ s|title }}{{ s|capitalize }}",
    "{{ 'xxaxx'.strip('x') }}{{ 'a,b,,c'.split(',') }}{{ ' a  b c '.split() }}{{ 'a.b.c'.split('.', 1) }}{{ 'aXbX'.replace('X', '--') }}{{ 'aXbX'|replace('X', 'y', 1) }}",
    "{{ 'abc'[0] }}{{ 'abc'[-1] }}{{ 'abcdef'[1:4] }}{{ 'abcdef'[::-1] }}{{ 'abcdef'[-3:] }}{{ 'abcdef'[:100] }}{{ 'äöü🙂x'[1:4] }}{{ 'abcdef'[4:1:-2] }}{{ x[5] }}",
    "{{ x[1:] }}{{ x[:-1] }}{{ x[::2] }}{{ x + [4] }}{{ x|first }}{{ x|last }}{{ x|join('-') }}{{ x|reverse|list }}{{ [1,1,2]|unique|list }}{{ (1, 2)[1] }}",
    "{{ 7 // 2 }}{{ -7 // 2 }}{{ 7 % 3 }}{{ -7 % 3 }}{{ 7 / 2 }}{{ 1 + 2 * 3 - 4 }}{{ (1 + 2) * 3 }}{{ 2.5 + 1 }}{{ 1e3 }}{{ -3|abs }}{{ 'ab' * 2 }}{{ 1 ~ 'a' ~ none ~ t }}",
    "{{ 1 < 2 }}{{ 'a' < 'b' }}{{ 1 == 1.0 }}{{ 'a' == 1 }}{{ none == none }}{{ 1 in x }}{{ 'b' in 'abc' }}{{ 'k' in d }}{{ 4 not in x }}{{ not t }}{{ t == 1 }}",
    "{{ 1 and 2 }}{{ 0 or 'x' }}{{ '' and 1 }}{{ none or 0 }}{{ not 0 and 1 }}{{ 1 if t else 2 }}{{ 1 if not t }}{{ 'a' if e else 'b' if none else 'c' }}",
    "{{ u }}[{{ u is defined }}{{ u is undefined }}{{ t is defined }}{{ d.q is defined }}{{ d['q'] is defined }}{{ u|default('x') }}{{ ''|default('y', true) }}{{ u|d(1) }}]",
    "{{ none is none }}{{ 1 is number }}{{ 'a' is string }}{{ d is mapping }}{{ x is iterable }}{{ x is sequence }}{{ 1 is odd }}{{ 2 is even }}{{ t is true }}"
    "{{ t is boolean }}{{ 6 is divisibleby 3 }}{{ 1 is in x }}{{ 'a' is not string }}{{ 1 is integer }}{{ 1.5 is float }}{{ 'a' is eq 'a' }}{{ range is callable }}",
    "{{ d|tojson }}{{ d|tojson(indent=2) }}{{ x|tojson }}{{ 'ä\"\\n<>&/🙂'|tojson }}{{ e|tojson(indent=2) }}{{ {'a': [], 'b': {}, 'c': [1, {'d': none}]}|tojson(indent=4) }}{{ t|tojson }}{{ 1.5|tojson }}",
    "{{ [1, 'a', none, true, 2.0, [], {'k': 'it\\'s'}] }}{{ 'a\"b\\'c' }}{{ ['\"', \"'\", '\\n\\\\'] }}",
    "{{ [{'a': 1, 'b': 0}, {'a': 2, 'b': 1}]|map(attribute='a')|join(',') }}{{ [{'a': 1, 'b': 0}, {'a': 2, 'b': 1}]|selectattr('b')|list }}"
    "{{ [{'a': 1}, {'a': 2}]|selectattr('a', 'equalto', 2)|list }}{{ [{'a': 1}, {'a': 2}]|rejectattr('a', 'eq', 2)|list }}{{ x|select('odd')|list }}{{ ['a', 'b']|map('upper')|list }}",
    "{{ '5'|int + 1 }}{{ 'x'|int }}{{ 'x'|int(7) }}{{ 2.7|int }}{{ '2.5'|float }}{{ 3|float }}{{ 3|string + 'a' }}{{ 'abc'|list }}{{ 'a\nb'|indent(2) }}{{ 'a\n\nb'|indent(2, true) }}",
    "{% for i in range(3) %}{{ i }}{% endfor %}{{ range(1, 10, 3)|list }}{{ range(3, 0, -1)|list }}{{ dict(a=1).a }}{{ 'a' 'b' }}{{ 1_000 }}{{ '\\x41\\u00e9\\t|\\q' }}",
    "{% macro f(a, b=2) %}<{{ a }}{{ b }}{{ t }}>{% endmacro %}{{ f(1) }}{{ f(1, 3) }}{{ f(b=5, a=4) }}{% for i in x %}{{ f(i) }}{% endfor %}{{ f('x')|length }}",
    "{% macro f(n) %}{% if n %}{{ n }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(5) }}", "{{ 'abc'.startswith('ab') }}{{ 'abc'.endswith(('x', 'c')) }}{{ 'abcb'.find('b') }}{{ 'abcb'.rfind('b') }}",
    "{% if u %}1{% elif x|length == 3 and (d.n > 1 or u) %}2{% else %}3{% endif %}{{ messages is defined and messages }}", "{{ x|length > 2 }}{{ -1|abs }}{{ s|trim ~ '!' }}{{ x.0 }}{{ '-'.join(['a', 'b']) }}",
    "{% generation %}a{{ t }}{% endgeneration %}\nb", "{{ 'a\r\nb\rc' }}\r\nx\r", "{{ x[0] if x else 'none' }}{{ [x, d][1].k }}{{ (x|first) + 1 }}", "{{ d['k'] }}{{ d.k }}{{ d.items is callable }}",
    "{% for m in [] %}{% endfor %}{{ 'a b'|title }}{{ \"it's ok\"|title }}{{ 10 % 4 ~ 'x' }}{{ 2 * 3 ~ 1 }}",
    "{{ {3: 'c', 20: 'b', 1: 'a'} }}{{ {3: 'c', '3': 'd'}[3] }}{{ {3: 'c', '3': 'd'}['3'] }}{{ {3: 'c'}|tojson }}{{ {3: 'c'}.get(3) }}{{ {3: 'c'}.get('3') }}{% for k, v in {3: 4}.items() %}{{ k + v }}{% endfor %}"
    "{{ 3 in {3: 'c'} }}{{ '3' in {3: 'c'} }}{{ {3: 'c'} == {'3': 'c'} }}{{ {3: 'c'} == {3: 'c'} }}{% for k in {512: 1} %}{{ k + 1 }}{% endfor %}{{ {1: 2}.keys()|list }}{{ {5: 6}[5] is defined }}{{ {5: 6}[6] is defined }}",
    "{% for k, v in {'b': 2, 'A': 1, 'c': 0}|dictsort %}{{ k }}{{ v }}{% endfor %}{{ {'b': 2, 'A': 1}|dictsort(true)|map('first')|list }}{{ {'b': 2, 'A': 3}|dictsort(by='value')|map('first')|list }}{{ {'b': 2, 'A': 3}|dictsort(reverse=true)|map('last')|list }}"
    "{{ {512: 1, 64: 2, 1024: 3}|dictsort|map('first')|list }}{{ {'a': 'y', 'b': 'X', 'c': 'x'}|dictsort(false, 'value')|map('first')|list }}"
    "{{ {'a': 'y', 'b': 'X', 'c': 'x'}|dictsort(case_sensitive=true, by='value', reverse=true)|map('first')|list }}{{ {}|dictsort }}",
    "{{ [3, 1, 2]|sort }}{{ ['b', 'A', 'c', 'a', 'B']|sort }}{{ ['b', 'A', 'c']|sort(case_sensitive=true) }}{{ [1, 2.5, true]|sort(reverse=true) }}{{ [{'a': {'n': 2}}, {'a': {'n': 1}}]|sort(attribute='a.n') }}"
    "{{ ['B', 'b', 'a', 'A']|sort(true) }}{{ []|sort }}{{ range(40)|sort(reverse=true) }}{{ 'hello'|sort }}",
    "{{ [3, 1, 2]|min }}{{ [3, 1, 2]|max }}{{ ['b', 'A']|min }}{{ ['b', 'B']|max }}{{ ['b', 'A', 'a']|min(true) }}{{ [{'a': 2}, {'a': 1}]|min(attribute='a') }}{{ [{'a': 2}, {'a': 1}]|max(attribute='a') }}[{{ []|min }}]{{ []|max is defined }}",
    "{{ '<{}>'.format(1) }}{{ '{}{}'.format('a', none) }}{{ '{1}{0}{1}'.format('a', 'b') }}{{ '{x}-{y}'.format(x=1, y='z') }}{{ '{{{}}}'.format(t) }}{{ 'a'.format(1) }}{{ '{}'.format(x) }}{{ '{}|{n}'.format(2.5, n=d) }}",
    "{{ 'ä🙂a\"\n'|tojson(ensure_ascii=true) }}{{ {'ü': ['é', 1]}|tojson(indent=2, ensure_ascii=true) }}{{ 'ä'|tojson(ensure_ascii=false) }}",
    "{{ 'a<'|safe + '<b>&\"' + \"it's\" }}{{ '<' + 'x'|safe }}{{ '<b>'|safe ~ '<' }}{{ '<b>'|safe + '<b>'|safe }}{{ '<b>'|safe == '<b>' }}{{ ('<'|safe + '<')|length }}",
    "{{ none|selectattr('a')|list }}{{ none|rejectattr('a', 'equalto', 1)|list }}{{ none|map('upper')|list }}{{ ''|select|list }}{{ e|reject|list }}",
]
