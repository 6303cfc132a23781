/**
 * Choices: a <select data-auto-submit> sends its form as soon as it changes, or opens the
 * page that its option names as data-goto, where no server answers forms.
 */

for (const select of document.querySelectorAll("select[data-auto-submit]")) {
  select.addEventListener("change", () => {
    const page = select.selectedOptions[0]?.dataset.goto;
    if (page) {
      location.assign(page);
    } else {
      select.form.requestSubmit();
    }
  });
}

/** What is empty says nothing: it stays out of the address. */
for (const form of document.querySelectorAll("form:has([data-auto-submit])")) {
  form.addEventListener("formdata", ({ formData }) => {
    for (const [name, value] of [...formData]) {
      if (value === "") {
        const kept = formData.getAll(name).filter(Boolean);
        formData.delete(name);
        kept.forEach((each) => formData.append(name, each));
      }
    }
  });
}
