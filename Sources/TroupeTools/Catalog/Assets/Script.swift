/// The script of all pages: the search, and the buttons that copy code.
///
/// The pages work without it. It writes texts of plugins as text only, never as markup.
enum Script {
  static var file: SiteFile { SiteFile(path: "catalog.js", bytes: Array(text.utf8)) }

  private static let text = #"""
    "use strict";
    (() => {
      const root = document.body.dataset.root;
      const form = document.querySelector("form.search");
      const field = document.getElementById("query");
      const panel = document.getElementById("results");
      const list = panel.querySelector("ul");
      const count = document.getElementById("result-count");
      const limit = 40;
      let entries = null;
      let isLoading = false;
      let hasFailed = false;

      // The data calls this function.
      window.troupeCatalog = (rows) => {
        entries = rows.map(([name, kind, plugin, address, summary, tags]) => ({
          name, kind, plugin, address, summary,
          key: name.toLowerCase(),
          text: [name, plugin, summary, tags].join("\n").toLowerCase(),
        }));
        show();
      };

      function load() {
        if (isLoading) return;
        [isLoading, hasFailed] = [true, false];
        const script = document.createElement("script");
        script.src = root + "catalog-search.js";
        // The next input loads it again.
        script.onerror = () => {
          script.remove();
          [isLoading, hasFailed] = [false, true];
          show();
        };
        document.head.append(script);
      }

      // Smaller is better; nothing for an entry that lacks a word.
      function rank(entry, words) {
        if (!words.every((word) => entry.text.includes(word))) return undefined;
        const query = words.join(" ");
        if (entry.key === query) return 0;
        if (entry.key.startsWith(query)) return 1;
        return entry.key.includes(words[0]) ? 2 : 3;
      }

      function find(words) {
        return entries
          .map((entry) => ({ entry, rank: rank(entry, words) }))
          .filter((match) => match.rank !== undefined)
          .sort((one, other) => one.rank - other.rank || one.entry.name.length - other.entry.name.length)
          .map((match) => match.entry);
      }

      function span(name, text) {
        const element = document.createElement("span");
        element.className = name;
        element.textContent = text;
        return element;
      }

      function row(entry) {
        const link = document.createElement("a");
        link.href = root + entry.address;
        const source = entry.kind === "plugin" || entry.kind === "tag" ? entry.kind : `${entry.kind} of ${entry.plugin}`;
        link.append(span("name", entry.name), " ", span("source", source));
        if (entry.summary) link.append(" ", span("summary", entry.summary));
        const item = document.createElement("li");
        item.append(link);
        return item;
      }

      function show() {
        const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
        panel.hidden = words.length === 0;
        if (panel.hidden || !entries) {
          list.replaceChildren();
          count.textContent = panel.hidden ? "" : hasFailed ? "The search cannot be loaded" : "Loading";
          return;
        }
        const matches = find(words);
        list.replaceChildren(...matches.slice(0, limit).map(row));
        const shown = matches.length > limit ? `, the first ${limit} are shown` : "";
        count.textContent = matches.length === 0 ? "No results" : `${matches.length} result${matches.length === 1 ? "" : "s"}${shown}`;
      }

      function close() {
        field.value = "";
        show();
        field.focus();
      }

      function move(event) {
        const links = [...list.querySelectorAll("a")];
        const index = links.indexOf(document.activeElement);
        if (event.key === "Escape") close();
        else if (event.key === "ArrowDown") (links[index + 1] ?? links[index])?.focus();
        else if (event.key === "ArrowUp") (index > 0 ? links[index - 1] : field).focus();
        else return;
        event.preventDefault();
      }

      form.hidden = false;
      field.addEventListener("focus", load);
      field.addEventListener("input", () => { load(); show(); });
      field.addEventListener("keydown", move);
      panel.addEventListener("keydown", move);
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        list.querySelector("a")?.click();
      });

      // The buttons that copy code.
      const announcement = document.createElement("p");
      announcement.className = "hidden";
      announcement.setAttribute("role", "status");
      document.querySelector("main").append(announcement);

      // For each button, the timer that resets it.
      const timers = new Map();

      async function copy(button) {
        const code = button.parentElement.querySelector("code");
        let isCopied = true;
        try {
          await navigator.clipboard.writeText(code.textContent);
        } catch {
          // A page that is no secure context has no clipboard.
          const selection = window.getSelection();
          selection.selectAllChildren(code);
          isCopied = document.execCommand("copy");
        }
        announcement.textContent = isCopied ? "Copied" : "Not copied, but selected";
        button.textContent = isCopied ? "Copied" : "Selected";
        clearTimeout(timers.get(button));
        timers.set(button, setTimeout(() => { button.textContent = "Copy"; announcement.textContent = ""; }, 3000));
      }

      for (const button of document.querySelectorAll("button.copy")) {
        button.hidden = false;
        button.addEventListener("click", () => copy(button));
      }

      // Hide the results after a click: a link to the same page does not reload it.
      panel.addEventListener("click", (event) => { if (event.target.closest("a")) panel.hidden = true; });
    })();

    """#
}
