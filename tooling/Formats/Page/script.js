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
  return (unit === 0 ? bytes : value.toFixed(value < 10 ? 2 : 1)) + '\u00a0' + units[unit]; // on one line
}
/// A step of 1, 2 or 5 times a power of ten, at least as long as `wanted`.
function niceStep(wanted) {
  const power = 10 ** Math.floor(Math.log10(wanted));
  return power * [1, 2, 5, 10].find(factor => factor * power >= wanted);
}

/// How light a colour is, from 0 to 1.
const probe = document.createElement('canvas').getContext('2d'), lights = new Map();
function luminance(color) {
  if (!lights.has(color)) {
    probe.fillStyle = color; // as #rrggbb, whatever it was
    const [red, green, blue] = [1, 3, 5].map(at => {
      const part = parseInt(probe.fillStyle.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    lights.set(color, 0.2126 * red + 0.7152 * green + 0.0722 * blue);
  }
  return lights.get(color);
}
/// Black or white, whichever is easier to read on a colour.
const inkOn = color => luminance(color) > 0.179 ? '#000' : '#fff';
/// The first part of a text that has room, with an ellipsis; never a part of a number. Empty if that would be less than
/// four characters.
function fitted(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(text.slice(0, middle) + '…').width <= room) low = middle;
    else high = middle - 1;
  }
  while (low > 0 && /^(\d\d| )/.test(text.slice(low - 1, low + 1))) --low;
  return low < 4 ? '' : text.slice(0, low) + '…';
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
