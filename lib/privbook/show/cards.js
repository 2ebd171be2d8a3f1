// Menus over the cards of the register: by paper, verdict and unit, and a search box. A link to a card opens it.
(() => {
  function start() {
    const box = document.querySelector(".claim-filter"), cards = [...document.querySelectorAll(".claim")];
    const bar = box.querySelector(".filters"), count = box.querySelector(".count");
    const text = cards.map(card => card.textContent.toLowerCase());

    function labelled(name, control) {
      const label = document.createElement("label");
      label.append(name + " ", control);
      bar.append(label);
      for (const event of ["input", "change"]) control.addEventListener(event, apply);
      return control;
    }

    const menus = ["paper", "verdict", "unit"].map(name => {
      const menu = labelled(name, document.createElement("select"));
      const values = [...new Set(cards.map(card => card.dataset[name]))];
      menu.append(new Option("all", ""), ...values.map(value => new Option(value, value)));
      return [name, menu];
    });
    const search = labelled("search", Object.assign(document.createElement("input"), {type: "search"}));

    function apply() {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      cards.forEach((card, i) => {
        const fits = menus.every(([name, menu]) => !menu.value || card.dataset[name] === menu.value)
          && words.every(word => text[i].includes(word));
        card.hidden = !fits;
        shown += fits;
      });
      count.textContent = `${shown} of ${cards.length} claims`;
    }

    function open() {
      const card = document.getElementById(location.hash.slice(1));
      if (!card || !card.classList.contains("claim")) return;
      card.hidden = false;
      card.querySelector("details").open = true;
      card.scrollIntoView();
    }

    apply();
    open();
    window.addEventListener("hashchange", open);
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
