/**
 * A default layout. Every selector has no specificity, so each rule of the page wins. A constructed
 * style sheet needs no `unsafe-inline` in a content security policy.
 */
const CSS = `
:where(purser-pricing-table) {
  display: block;
}
:where(purser-pricing-table[aria-busy=true]) {
  min-block-size: var(--purser-min-height,18rem);
}
:where(.purser-switch) {
  border: 0;
  padding: 0;
  margin: 0 0 1rem;
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: .5rem 1.25rem;
}
:where(.purser-switch legend) {
  float: inline-start;
  padding: 0;
}
:where(.purser-switch label) {
  display: inline-flex;
  align-items: center;
  gap: .4em;
  min-block-size: 1.5rem;
}
:where(.purser-plans) {
  display: grid;
  --purser-column: min(100%, var(--purser-plan-width, 14rem));
  grid-template-columns: repeat(auto-fit, minmax(var(--purser-column), 1fr));
  gap: var(--purser-gap,1rem);
  list-style: none;
  margin: 0;
  padding: 0;
}
:where(.purser-plan) {
  display: flex;
  flex-direction: column;
  gap: .75rem;
  border: 1px solid var(--purser-border,currentColor);
  border-radius: var(--purser-radius,.5rem);
  padding: 1.25rem;
  overflow-wrap: anywhere;
}
:where(.purser-plan>*) {
  margin: 0;
}
:where(.purser-price) {
  font-size: 1.25em;
}
:where(.purser-buy) {
  display: block;
  text-align: center;
  font-weight: 600;
  border: 1px solid currentColor;
  border-radius: var(--purser-radius,.5rem);
  padding: .6rem 1rem;
  overflow-wrap: anywhere;
}
:where(purser-buy-button .purser-buy) {
  display: inline-block;
}
:where(.purser-plan .purser-price:nth-last-child(2)) {
  margin-block-start: auto;
}
:where(.purser-status) {
  position: absolute;
  inline-size: 1px;
  block-size: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
  margin: 0;
}
`

let sheet: CSSStyleSheet | undefined

/** Adds the default layout to the document or shadow root of an element, once. */
export function addLayout(element: Element): void {
  const root = element.getRootNode() as Document | ShadowRoot
  if (!('adoptedStyleSheets' in root)) return
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(CSS)
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet)
}
