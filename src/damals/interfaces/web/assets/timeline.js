// The slider of a timeline follows the event that is shown, and tells it to screen readers.
(() => {
  "use strict";
  function follow() {
    const slider = document.getElementById("step");
    const shown = document.getElementById("moment");
    if (!slider || !shown || !shown.dataset.step) return;
    if (document.activeElement !== slider) slider.value = shown.dataset.step;
    slider.setAttribute("aria-valuetext", shown.dataset.told);
    const list = shown.querySelector(".events");
    const at = list && list.querySelector("[aria-current]");
    if (at) list.scrollTop = at.offsetTop - list.offsetTop - list.clientHeight / 3;
  }
  document.addEventListener("DOMContentLoaded", follow);
  document.addEventListener("htmx:after:swap", follow);
})();
