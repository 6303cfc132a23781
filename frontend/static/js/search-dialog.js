/**
 * A dialog with a field and what is found below it: arrows choose, Enter takes, Escape
 * closes. The palette opens pages with it, commit pickers choose a commit.
 */

const MOST_INDEXED = 30; // hits that are shown of an index

const PAUSE = 120; // milliseconds in which somebody goes on typing

export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

export class SearchDialog {
  #asked = 0;
  #timer;

  /**
   * @param {object} words - `name`: of the dialog; `placeholder`: of its field; `id`: of
   *   its list.
   * @param {(text: string) => Promise<object[] | undefined>} find - returns what a text
   *   finds: objects with kind, name, detail and path; undefined without an answer.
   * @param {(hit: object, event: Event) => void} take - is told what was chosen.
   */
  constructor({ name, placeholder, id }, find, take) {
    this.id = id;
    this.find = find;
    this.take = take;
    this.input = element("input", {
      type: "text",
      className: "palette__input",
      autocomplete: "off",
      spellcheck: false,
      maxLength: 200,
      placeholder,
      ariaLabel: "Search",
    });
    this.input.setAttribute("role", "combobox");
    this.input.setAttribute("aria-controls", id);
    this.input.setAttribute("aria-expanded", "false");
    this.hits = element("div", { id, className: "palette__hits", ariaLabel: "Found" });
    this.hits.setAttribute("role", "listbox");
    this.note = element("p", { className: "palette__note quiet small" });
    this.note.setAttribute("role", "status");
    this.dialog = element("dialog", { className: "palette", ariaLabel: name }, this.input, this.hits, this.note);
    document.body.append(this.dialog);
    this.input.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#ask(), PAUSE);
    });
    this.dialog.addEventListener("keydown", (event) => this.#steer(event));
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
    this.hits.addEventListener("pointermove", ({ target }) => this.#choose(target.closest("[role=option]")));
  }

  open() {
    if (!this.dialog.open) {
      this.dialog.showModal();
    }
    this.input.select();
    this.#ask();
  }

  async #ask() {
    const number = ++this.#asked;
    const found = await this.find(this.input.value.trim());
    if (number !== this.#asked) {
      return; // somebody has typed on meanwhile
    }
    if (found === undefined) {
      this.note.textContent = "The server did not answer.";
      return;
    }
    this.#show(found);
  }

  #show(found) {
    let kind;
    const rows = [];
    for (const [place, hit] of found.entries()) {
      if (hit.kind !== kind) {
        kind = hit.kind;
        const heading = element("div", { className: "palette__kind", textContent: kind });
        heading.setAttribute("role", "presentation");
        rows.push(heading);
      }
      rows.push(this.#row(hit, place));
    }
    this.hits.replaceChildren(...rows);
    this.input.setAttribute("aria-expanded", String(found.length > 0));
    const text = this.input.value.trim();
    this.note.textContent = found.length || !text ? "" : `Nothing contains “${text}”.`;
    this.#choose(this.hits.querySelector("[role=option]"));
  }

  #row(hit, place) {
    const option = element("a", {
      id: `${this.id}-${place}`,
      className: "palette__hit",
      href: hit.path,
      tabIndex: -1,
    });
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", "false");
    option.append(element("bdi", { textContent: hit.name }));
    if (hit.detail) {
      option.append(element("span", { className: "quiet small", textContent: hit.detail }));
    }
    option.addEventListener("click", (event) => this.take(hit, event));
    return option;
  }

  #choose(option) {
    if (!option) {
      return;
    }
    for (const other of this.hits.querySelectorAll("[aria-selected=true]")) {
      other.setAttribute("aria-selected", "false");
    }
    option.setAttribute("aria-selected", "true");
    this.input.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  }

  #steer(event) {
    const options = [...this.hits.querySelectorAll("[role=option]")];
    const place = options.findIndex((each) => each.ariaSelected === "true");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && options.length) {
      event.preventDefault();
      this.#choose(options[(place + step + options.length) % options.length]);
    } else if (event.key === "Enter") {
      event.preventDefault();
      options[place]?.click();
    }
  }
}

/** Ask a search page, as JSON, for what contains the words of a text. */
export async function found(page, text, stated = {}) {
  if (page.endsWith(".js")) {
    return indexed(page, text);
  }
  const address = new URL(page);
  for (const [name, value] of Object.entries({ ...stated, q: text, format: "json" })) {
    address.searchParams.set(name, value);
  }
  const response = await fetch(address).catch(() => undefined);
  return response?.ok ? response.json() : undefined;
}

/** Return what contains all words among all hits, which a script states. */
async function indexed(source, text) {
  const script = element("script", { src: source });
  const hits = await new Promise((resolve) => {
    script.onload = () => resolve(window.searchIndex);
    script.onerror = () => resolve(undefined);
    if (window.searchIndex) {
      resolve(window.searchIndex);
    } else {
      document.head.append(script);
    }
  });
  const root = new URL("..", script.src);
  const words = text.toLowerCase().split(/\s+/);
  const isMatch = ({ name, detail }) => words.every((word) => `${name} ${detail}`.toLowerCase().includes(word));
  return hits
    ?.filter(isMatch)
    .slice(0, MOST_INDEXED)
    .map((hit) => ({ ...hit, path: new URL(hit.path, root).href }));
}
