// The review report at work: one page at a time, verdicts kept in this browser and saved to a file. No request is made.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const items = $$("#list li");
  const articles = $$("main > article");
  const marks = $$("#marks button");
  const note = $("#note textarea");
  const root = document.documentElement;
  const labels = new Map(marks.map((button) => [button.dataset.verdict, button.lastChild.textContent.trim()]));
  const GOOD = "good";
  const place = "kesit-review:" + data.report;
  const keyOf = (page) => [page.doc_id, page.version_id, page.page_no].join("|");
  const keys = data.pages.map(keyOf);
  let judged = new Map();
  let current = -1;
  let unsaved = 0;

  // what is kept in this browser ------------------------------------------------------------------------------------
  function recall() {
    try {
      const kept = JSON.parse(localStorage.getItem(place) || "[]");
      judged = new Map(kept.filter(([key]) => keys.includes(key)));
    } catch {
      say("This browser keeps nothing for files: save the verdicts before you close this page.", 8000);
    }
  }
  function keep() {
    try {
      localStorage.setItem(place, JSON.stringify([...judged]));
    } catch {
      // said once, by recall
    }
  }
  const entryOf = (index) => judged.get(keys[index]) || { verdicts: [], note: "" };
  const isJudged = (index) => entryOf(index).verdicts.length > 0;
  function change(index, entry) {
    if (entry.verdicts.length || entry.note.trim()) judged.set(keys[index], { ...entry, judged_at: new Date().toISOString() });
    else judged.delete(keys[index]);
    unsaved += 1;
    keep();
    showEntry(index);
    showProgress();
  }

  // showing ---------------------------------------------------------------------------------------------------------
  function show(index) {
    if (index < 0 || index >= articles.length) return;
    if (current >= 0) {
      articles[current].hidden = true;
      items[current].removeAttribute("aria-current");
    }
    current = index;
    articles[index].hidden = false;
    items[index].setAttribute("aria-current", "page");
    items[index].scrollIntoView({ block: "nearest" });
    showEntry(index);
    showPosition();
    $("#list").classList.remove("shown");
    $("#menu").setAttribute("aria-expanded", "false");
    history.replaceState(null, "", "#" + (index + 1));
    // Keys scroll what is read; on a narrow screen the page itself scrolls.
    const pane = $(".text", articles[index]);
    if (document.activeElement !== note) pane.focus({ preventScroll: true });
    if (getComputedStyle(document.body).overflowY !== "hidden") scrollTo(0, 0);
  }
  function showEntry(index) {
    const entry = entryOf(index);
    const mark = $("em", items[index]);
    const good = entry.verdicts.includes(GOOD);
    mark.textContent = (good ? "✓" : entry.verdicts.length ? "✗" : "") + (entry.note.trim() ? " ✎" : "");
    mark.classList.toggle("good", good);
    mark.title = entry.verdicts.map((code) => labels.get(code)).join(", ");
    if (index !== current) return;
    for (const button of marks) button.setAttribute("aria-pressed", String(entry.verdicts.includes(button.dataset.verdict)));
    if (document.activeElement !== note) note.value = entry.note;
  }
  function showProgress() {
    const count = keys.filter((_, index) => isJudged(index)).length;
    $("#judged").textContent = `${count} of ${keys.length} judged`;
    $("#progress progress").value = count;
    $("#save").textContent = unsaved ? "Save verdicts •" : "Save verdicts";
  }
  function showPosition() {
    const shown = visible();
    $("#position").textContent = `${shown.indexOf(current) + 1 || "–"} / ${shown.length}`;
  }
  let quiet = 0;
  function say(text, time = 4000) {
    $("#message").textContent = text;
    $("#message").hidden = false;
    clearTimeout(quiet);
    quiet = setTimeout(() => ($("#message").hidden = true), time);
  }

  // filters ---------------------------------------------------------------------------------------------------------
  const selects = $$("#filters select");
  function fillFilters() {
    for (const select of selects.filter((each) => each.name !== "verdict")) {
      const values = data.pages.map((page) => page[select.name]);
      for (const value of [...new Set(values)].sort()) {
        const count = values.filter((each) => each === value).length;
        select.append(new Option(`${value} (${count})`, value));
      }
      select.hidden = new Set(values).size < 2;
    }
  }
  function fits(index) {
    return selects.every((select) => {
      if (!select.value) return true;
      if (select.name !== "verdict") return String(data.pages[index][select.name]) === select.value;
      if (select.value === "-") return !isJudged(index);
      if (select.value === "+") return isJudged(index);
      return entryOf(index).verdicts.includes(select.value);
    });
  }
  const visible = () => items.flatMap((item, index) => (item.hidden ? [] : [index]));
  function filter() {
    for (const select of selects) select.classList.toggle("set", select.value !== "");
    $("#clear").hidden = selects.every((select) => select.value === "");
    items.forEach((item, index) => (item.hidden = !fits(index)));
    const shown = visible();
    $("#nothing").hidden = shown.length > 0;
    if (shown.length && !shown.includes(current)) show(shown[0]);
    showPosition();
  }
  function step(direction, wanted = () => true) {
    const found = visible().filter((index) => (index - current) * direction > 0 && wanted(index));
    const next = direction > 0 ? found[0] : found.at(-1);
    if (next !== undefined) show(next);
    return next !== undefined;
  }
  function nextUnjudged() {
    const open = (index) => !isJudged(index);
    if (step(1, open)) return;
    const first = visible().find(open);
    if (first === undefined) say("Every page here is judged.");
    else show(first);
  }

  // verdicts --------------------------------------------------------------------------------------------------------
  function mark(code) {
    if (current < 0) return;
    const entry = entryOf(current);
    const others = entry.verdicts.filter((each) => each !== code && each !== GOOD && code !== GOOD);
    const verdicts = entry.verdicts.includes(code) ? others : [...others, code];
    change(current, { ...entry, verdicts: [...labels.keys()].filter((each) => verdicts.includes(each)) });
  }
  function verdictFile() {
    const pages = data.pages.flatMap((page, index) => {
      const entry = judged.get(keys[index]);
      return entry ? [{ ...page, verdicts: entry.verdicts, note: entry.note.trim(), judged_at: entry.judged_at }] : [];
    });
    const { format, version, report, made_at, estate } = data;
    return { format, version, report, made_at, saved_at: new Date().toISOString(), sampled: keys.length, estate, pages };
  }
  function save() {
    const blob = new Blob([JSON.stringify(verdictFile(), null, 1)], { type: "application/json" });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = "verdicts.json";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    unsaved = 0;
    showProgress();
    say("Saved as verdicts.json. Next: kesit review --summary verdicts.json");
  }
  async function open(file) {
    try {
      const saved = JSON.parse(await file.text());
      if (saved.format !== data.format || saved.version !== data.version) throw new Error("it is no file of verdicts of this version");
      const known = saved.pages.filter((page) => keys.includes(keyOf(page)));
      for (const page of known) {
        const verdicts = page.verdicts.filter((code) => labels.has(code));
        judged.set(keyOf(page), { verdicts, note: String(page.note || ""), judged_at: page.judged_at });
      }
      keep();
      keys.forEach((_, index) => showEntry(index));
      showProgress();
      say(`${known.length} of ${saved.pages.length} verdicts taken over` + (known.length < saved.pages.length ? "; the others are on pages that are not in this report." : "."));
    } catch (error) {
      say(`${file.name} cannot be used: ${error.message}`, 8000);
    }
  }

  // the picture and its text ----------------------------------------------------------------------------------------
  const partners = (element) => $$(`[data-block="${CSS.escape(element.dataset.block)}"]`, element.closest("article"));
  function light(event) {
    const element = event.target.closest?.("[data-block]");
    for (const each of $$(".lit")) each.classList.remove("lit");
    if (element) for (const each of partners(element)) each.classList.add("lit");
  }
  function follow(event) {
    const element = event.target.closest?.("[data-block]");
    if (!element || getSelection().toString()) return;
    for (const other of partners(element)) if (other !== element) other.scrollIntoView({ block: "center", inline: "nearest" });
  }
  let zoom = 1;
  function setZoom(value) {
    zoom = Math.min(Math.max(value, 0.5), 4);
    root.style.setProperty("--zoom", zoom);
  }
  function flipTheme() {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  }

  // keys and buttons ------------------------------------------------------------------------------------------------
  const actions = {
    j: () => step(1), k: () => step(-1), u: nextUnjudged, n: () => note.focus(), s: save, d: flipTheme,
    b: () => (root.dataset.boxes = root.dataset.boxes === "off" ? "on" : "off"),
    "+": () => setZoom(zoom * 1.25), "=": () => setZoom(zoom * 1.25), "-": () => setZoom(zoom / 1.25), 0: () => setZoom(1),
    "?": () => $("#help").showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || $("#help").open) return;
    if (event.target === note) {
      if (event.key === "Escape") note.blur();
      return;
    }
    if (event.target.closest("select, input")) return;
    const verdict = /^[1-9]$/.test(event.key) ? marks[event.key - 1] : undefined;
    const action = verdict ? () => mark(verdict.dataset.verdict) : Object.hasOwn(actions, event.key) ? actions[event.key] : undefined;
    if (!action) return;
    event.preventDefault();
    action();
  });
  $("#list").addEventListener("click", (event) => {
    const item = event.target.closest("li");
    if (item) show(Number(item.dataset.index));
  });
  $("#marks").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) mark(button.dataset.verdict);
  });
  note.addEventListener("input", () => current >= 0 && change(current, { ...entryOf(current), note: note.value }));
  note.addEventListener("blur", () => current >= 0 && showEntry(current));
  $("#filters").addEventListener("change", filter);
  $("#filters").addEventListener("reset", () => setTimeout(filter));
  $("#filters").addEventListener("submit", (event) => event.preventDefault());
  $("#previous").addEventListener("click", () => step(-1));
  $("#next").addEventListener("click", () => step(1));
  $("#save").addEventListener("click", save);
  $("#open").addEventListener("click", () => $("#file").click());
  $("#file").addEventListener("change", (event) => {
    if (event.target.files.length) open(event.target.files[0]);
    event.target.value = "";
  });
  $("#theme").addEventListener("click", flipTheme);
  $("#keys").addEventListener("click", () => $("#help").showModal());
  $("#menu").addEventListener("click", () => {
    $("#menu").setAttribute("aria-expanded", String($("#list").classList.toggle("shown")));
  });
  $("main").addEventListener("mouseover", light);
  $("main").addEventListener("click", follow);

  recall();
  fillFilters();
  keys.forEach((_, index) => showEntry(index));
  showProgress();
  const asked = Number(location.hash.slice(1)) - 1;
  if (keys.length) show(asked >= 0 && asked < keys.length ? asked : 0);
  else $("#nothing").hidden = false;
})();
