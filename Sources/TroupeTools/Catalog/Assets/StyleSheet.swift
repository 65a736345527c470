/// The style sheet: system fonts, two color schemes, one column on a narrow screen.
enum StyleSheet {
  static var file: SiteFile { SiteFile(path: "catalog.css", bytes: Array(text.utf8)) }

  private static let text = """
    :root {
      color-scheme: light dark;
      --paper: #fdfdfb; --panel: #f4f3ee; --line: #d9d6cc; --ink: #1c2228; --muted: #565e66;
      --accent: #0a5a86; --accent-soft: #e1eef5; --bad: #98231a; --bad-soft: #fbe9e6; --good: #2c5f3a;
      --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
      --mono: ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", "Liberation Mono", monospace;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #14171a; --panel: #1d2125; --line: #373e45; --ink: #e5e8ea; --muted: #a6afb7;
        --accent: #82c4ec; --accent-soft: #1a323f; --bad: #ffa196; --bad-soft: #3a1f1c; --good: #9bd3a8;
      }
    }
    *, *::before, *::after { box-sizing: border-box; }
    [hidden] { display: none !important; }
    html { scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; }
    body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 var(--sans); overflow-wrap: break-word; }
    a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: .35em; }
    a:hover { text-decoration-thickness: 2px; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
    main:focus { outline: none; }
    code, pre { font-family: var(--mono); font-size: .875em; }
    pre code { font-size: inherit; }
    .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    .skip { position: absolute; left: -100vw; top: 0; padding: .75rem 1.25rem; background: var(--paper); z-index: 3; }
    .skip:focus { left: 0; }

    header.site { border-bottom: 1px solid var(--line); background: var(--panel); }
    .bar, main, footer.site p, .results { max-width: 76rem; margin: 0 auto; padding-left: 1.25rem; padding-right: 1.25rem; }
    .bar { display: flex; flex-wrap: wrap; gap: .75rem 2rem; align-items: center; padding-top: .75rem; padding-bottom: .75rem; }
    .bar nav { flex: 1 1 auto; }
    .bar ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: 0; padding: 0; }
    .bar a { display: block; padding: .35rem 0; color: var(--ink); text-decoration: none; border-bottom: 2px solid transparent; }
    .bar a:hover { border-color: var(--line); }
    .bar a[aria-current] { border-color: var(--accent); font-weight: 600; }
    .search { display: flex; gap: .6rem; align-items: center; flex: 0 1 22rem; min-width: 0; }
    .search label { font-size: .875rem; color: var(--muted); }
    .search input {
      flex: 1 1 auto; min-width: 0; font: inherit; padding: .4rem .75rem; border: 1px solid var(--muted); border-radius: 6px;
      background: var(--paper); color: var(--ink);
    }
    .search input::placeholder { color: var(--muted); opacity: 1; }
    .results { padding-top: .5rem; padding-bottom: 1.25rem; }
    .results li { max-width: none; }
    .results p { margin: .25rem 0 .5rem; font-size: .875rem; color: var(--muted); }
    .results ul { list-style: none; margin: 0; padding: 0; border-top: 1px solid var(--line); max-height: 60vh; overflow-y: auto; }
    .results a {
      display: block; padding: .5rem .5rem; border-bottom: 1px solid var(--line); color: var(--ink); text-decoration: none;
    }
    .results a:hover, .results a:focus { background: var(--accent-soft); }
    .results a:focus-visible { outline-offset: -3px; }
    .results .name { font-weight: 600; color: var(--accent); }
    .results .summary { display: block; }

    main { padding-top: 2rem; padding-bottom: 4rem; }
    h1, h2, h3 { line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; }
    h1 { font-size: clamp(1.75rem, 1.4rem + 1.6vw, 2.5rem); margin: 0 0 .5rem; font-weight: 680; }
    h2 { font-size: 1.4rem; margin: 3rem 0 1rem; font-weight: 650; }
    h3 { font-size: 1.05rem; margin: 1.5rem 0 .5rem; }
    p, ul, ol, dl { margin: 0 0 1rem; }
    p, li, dd { max-width: 68ch; }
    .lead, .lead p { font-size: 1.125rem; color: var(--muted); max-width: 60ch; }
    .source, .version, .facts, footer.site { color: var(--muted); font-size: .875rem; }
    .rejected { color: var(--bad); font-weight: 600; }
    footer.site { border-top: 1px solid var(--line); }
    footer.site p { padding-top: 1rem; padding-bottom: 1.5rem; max-width: 76rem; }

    .letters { display: flex; flex-wrap: wrap; gap: .25rem; margin: 1.5rem 0 0; }
    .letters a {
      min-width: 2.2rem; padding: .25rem .5rem; text-align: center; border: 1px solid var(--line); border-radius: 6px;
      text-decoration: none;
    }
    .letters a:hover { background: var(--accent-soft); }
    .letter { margin: 2.5rem 0 .25rem; color: var(--muted); }
    .plugins, .items, .tags { list-style: none; padding: 0; }
    .plugins { border-top: 1px solid var(--line); margin-top: 1.5rem; }
    .letter + .plugins { margin-top: 0; }
    .plugins li {
      display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 2rem; align-items: baseline; max-width: none;
      padding: .9rem 0; border-bottom: 1px solid var(--line);
    }
    .plugins .name { font-weight: 620; font-size: 1.0625rem; }
    .plugins p { margin: 0; }
    .facts { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: flex-end; text-align: right; }
    .items li { padding: .6rem 0; border-bottom: 1px solid var(--line); max-width: none; }
    .items .source { margin-left: .75rem; }
    .items .summary { display: block; max-width: 68ch; }
    .tags { display: flex; flex-wrap: wrap; gap: .4rem; margin: 1.5rem 0; }
    .tag, .tags a {
      display: inline-block; padding: .1rem .6rem; border-radius: 1rem; background: var(--accent-soft); text-decoration: none;
      font-size: .875rem;
    }
    .tag { margin: .1rem .35rem .1rem 0; }
    .tag:hover, .tags a:hover { text-decoration: underline; }

    .columns { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 3.5rem; }
    .contents { font-size: .875rem; order: -1; margin: 0 0 1rem; display: none; }
    .contents ul { list-style: none; padding: 0; margin: 0 0 1rem; }
    .contents a { display: block; padding: .15rem 0; text-decoration: none; overflow: hidden; text-overflow: ellipsis; }
    .contents a:hover { text-decoration: underline; }
    .contents .kind { margin: 0 0 .25rem; font-weight: 600; color: var(--muted); }
    @media (min-width: 68rem) {
      .columns:has(.contents) { grid-template-columns: minmax(0, 1fr) 14rem; }
      .contents {
        display: block; order: 0; position: sticky; top: 1.5rem; align-self: start; max-height: calc(100vh - 3rem); overflow-y: auto;
        border-left: 1px solid var(--line); padding-left: 1.25rem;
      }
    }
    .properties { display: flex; flex-wrap: wrap; gap: .35rem 2rem; margin: 1rem 0; }
    .properties dt { font-size: .8125rem; color: var(--muted); }
    .properties dd { margin: 0; overflow-wrap: anywhere; }
    .notice { border-left: 4px solid var(--accent); background: var(--accent-soft); padding: 1rem 1.25rem; margin: 1.5rem 0; border-radius: 0 6px 6px 0; }
    .notice.fault { border-color: var(--bad); background: var(--bad-soft); }
    .notice h2 { margin: 0 0 .5rem; font-size: 1.0625rem; }
    .notice p:last-child { margin-bottom: 0; }
    .notice p { overflow-wrap: anywhere; }
    .item { border-top: 1px solid var(--line); padding: 1.25rem 0 1.5rem; }
    .item h3 { margin: 0 0 .5rem; font-size: 1.1875rem; }
    .item h3 code { font-size: 1em; overflow-wrap: anywhere; }
    .anchor { margin-left: .5rem; color: var(--muted); text-decoration: none; font-weight: 400; }
    .anchor:hover { color: var(--accent); }

    .code {
      display: grid; grid-template-columns: minmax(0, 1fr) auto; margin: .75rem 0; background: var(--panel);
      border: 1px solid var(--line); border-radius: 6px;
    }
    pre { margin: 0; padding: .75rem 1rem; overflow-x: auto; line-height: 1.5; tab-size: 4; }
    .copy {
      align-self: start; margin: .5rem .5rem .5rem 0; font: .8125rem/1.4 var(--sans); padding: .2rem .6rem; border-radius: 5px;
      border: 1px solid var(--line); background: var(--paper); color: var(--ink); cursor: pointer;
    }
    .copy:hover { border-color: var(--muted); }
    .calls { margin-top: 1.25rem; }
    .calls .kind { margin: 0; font-size: .8125rem; color: var(--muted); }
    .calls .kind + .code { margin-top: .35rem; }
    details { margin: .4rem 0; }
    summary { cursor: pointer; padding: .2rem 0; color: var(--accent); width: fit-content; }
    .table { overflow-x: auto; margin: 1rem 0; border: 1px solid var(--line); border-radius: 6px; }
    table { border-collapse: collapse; width: 100%; font-size: .9375rem; line-height: 1.45; }
    th, td { text-align: left; vertical-align: top; padding: .5rem .9rem; border-bottom: 1px solid var(--line); }
    thead th { font-size: .8125rem; font-weight: 600; color: var(--muted); background: var(--panel); white-space: nowrap; }
    tbody tr:last-child > * { border-bottom: 0; }
    tbody th { font-weight: 400; white-space: nowrap; }
    td:last-child { min-width: 8rem; }

    .graph { overflow: auto; width: fit-content; max-width: 100%; margin: 1.5rem 0; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); padding: .5rem; }
    .graph svg { display: block; }
    .graph .edge { fill: none; stroke: var(--muted); stroke-width: 1.25; }
    .graph .offer { stroke-dasharray: 5 4; }
    .graph .tip { fill: var(--muted); }
    .graph .edge.unmet { stroke: var(--bad); stroke-dasharray: 2 3; }
    .graph .tip.unmet { fill: var(--bad); }
    .node rect { fill: var(--paper); stroke: var(--muted); }
    .node text { fill: var(--ink); font: 13px var(--sans); }
    .node .note { fill: var(--muted); font-size: 12px; }
    a.node .name { fill: var(--accent); font-weight: 600; }
    a.node:hover rect, a.node:focus-visible rect { stroke: var(--accent); stroke-width: 2; }
    .node.contract rect { fill: var(--accent-soft); rx: 22px; }
    .node.missing rect { stroke: var(--bad); stroke-dasharray: 5 4; }
    .node.missing .note, .node.rejected .note { fill: var(--bad); }
    .node.rejected rect { fill: var(--bad-soft); stroke: var(--bad); }
    .requirements > li { margin-bottom: .75rem; }

    @media (max-width: 40rem) {
      .plugins li { grid-template-columns: minmax(0, 1fr); }
      .facts { justify-content: flex-start; text-align: left; }
      .search { flex-basis: 100%; }
      .bar { row-gap: .5rem; }
      .bar ul { column-gap: .875rem; font-size: .9375rem; }
      th, td { padding: .45rem .6rem; }
      .items .source { display: block; margin: 0; }
    }
    @media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
    @media print { header.site, .copy, .contents { display: none; } body { background: none; } }

    """
}
