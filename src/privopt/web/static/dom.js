/**
 * Elements from plain data. Texts are set as texts, never as markup, and nothing is written as an
 * inline style or handler: the content security policy forbids both.
 */

/**
 * An element with attributes, listeners ("on..." entries) and children.
 * @param {string} tag
 * @param {Object<string, unknown>} [attributes] null, undefined and false leave one out; true sets it empty
 * @param {...(Node|string|number|null|undefined|false)} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
  return furnished(document.createElement(tag), attributes, children);
}

/**
 * Attributes, listeners and children put on an element of any namespace.
 * @template {Element} T
 * @param {T} element
 * @param {Object<string, unknown>} attributes
 * @param {unknown[]} children
 * @returns {T}
 */
export function furnished(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else set(element, name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/**
 * Set an attribute, or take it away.
 * @param {Element} element
 * @param {string} name
 * @param {unknown} value
 */
export function set(element, name, value) {
  if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else {
    const text = value === true ? "" : String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/**
 * Replace what is inside an element.
 * @param {Element} element
 * @param {...(Node|string|null|undefined|false)} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat().filter(Boolean));
}

/**
 * The element with this id; the page's own markup promises that it is there.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function at(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no element ${id}.`);
  return found;
}

/**
 * A function that runs once things have been quiet for a while; `flush` runs a waiting one now.
 * @param {number} milliseconds
 * @param {() => void} work
 */
export function afterPause(milliseconds, work) {
  let timer = 0;
  const run = () => { timer = 0; work(); };
  const later = () => { clearTimeout(timer); timer = setTimeout(run, milliseconds); };
  later.flush = () => { if (timer) { clearTimeout(timer); run(); } };
  later.cancel = () => { clearTimeout(timer); timer = 0; };
  return later;
}

/**
 * A function that runs at most once a frame, with the newest arguments.
 * @template {unknown[]} A
 * @param {(...args: A) => void} work
 * @returns {(...args: A) => void}
 */
export function onceAFrame(work) {
  let waiting = false;
  /** @type {A} */ let newest;
  return (...args) => {
    newest = args;
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; work(...newest); });
  };
}
