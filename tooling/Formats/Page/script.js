// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all pages need. Names are inserted as text only, never as markup.
'use strict';

const $ = id => document.getElementById(id);
const data = JSON.parse($('data').textContent);

/// An element with text or an element in it. The last argument: where it is appended, or attributes.
function element(tag, content = '', place = {}) {
  const made = document.createElement(tag);
  if (content instanceof Node) made.append(content);
  else made.textContent = content;
  if (place instanceof Node) place.append(made);
  else for (const [name, value] of Object.entries(place)) made.setAttribute(name, value);
  return made;
}
function definitions(list) {
  const made = document.createElement('dl');
  for (const [name, value] of list) made.append(element('dt', name), element('dd', value));
  return made;
}

function bytesText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0, value = bytes;
  while (value >= 1024 && unit < units.length - 1) { value /= 1024; ++unit; }
  return unit === 0 ? bytes + ' B' : value.toFixed(value < 10 ? 2 : 1) + ' ' + units[unit];
}
/// A step of 1, 2 or 5 times a power of ten, at least as long as `wanted`.
function niceStep(wanted) {
  const power = 10 ** Math.floor(Math.log10(wanted));
  return power * [1, 2, 5, 10].find(factor => factor * power >= wanted);
}

let pending = 0;
function redraw() { pending ||= requestAnimationFrame(() => { pending = 0; draw(); }); }

/// Colours of the theme, for drawings. restyle() reads them; a page adds what else depends on them.
const style = {};
const isDark = () => document.documentElement.dataset.theme
  ? document.documentElement.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
const restyled = [redraw];
function restyle() {
  const computed = getComputedStyle(document.documentElement);
  for (const name of ['back', 'panel', 'line', 'text', 'soft', 'accent', 'bad', 'match', 'grid'])
    style[name] = computed.getPropertyValue('--' + name).trim();
  for (const action of restyled) action();
}
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  restyle();
}
$('theme').addEventListener('click', () => setTheme(isDark() ? 'light' : 'dark'));
$('help-button').addEventListener('click', () => $('help').showModal());
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', restyle);

/// Shows what is below the pointer at (x, y) of the stage: nodes, or nothing.
function showTip(x, y, ...nodes) {
  const tip = $('tip'), stage = $('stage');
  tip.hidden = !nodes.length;
  tip.replaceChildren(...nodes);
  tip.style.left = Math.max(4, Math.min(x + 14, stage.clientWidth - tip.offsetWidth - 4)) + 'px';
  tip.style.top = Math.max(4, Math.min(y + 14, stage.clientHeight - tip.offsetHeight - 4)) + 'px';
}

/// For the tests of the pages: with #selftest in the address, a page tests itself and appends the
/// outcome as JSON, for a browser that can only dump the loaded document.
class SelfTest {
  failures = [];
  timing = {};
  seed = 1;
  check = (what, good) => { if (!good) this.failures.push(what); };
  random = () => (this.seed = Math.imul(this.seed, 1103515245) + 12345 >>> 0) / 2 ** 32;
  key = (name, target = canvas, shift = false) =>
    target.dispatchEvent(new KeyboardEvent('keydown', {key: name, shiftKey: shift, bubbles: true, cancelable: true}));
  finish(more) {
    const {failures, timing} = this;
    document.body.append(element('pre', JSON.stringify({failures, timing, title: document.title,
      scripts: document.scripts.length, elements: document.querySelectorAll('*').length, ...more}), {id: 'selftest'}));
  }
}
