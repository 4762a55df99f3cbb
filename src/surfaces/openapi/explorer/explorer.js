/* global SwaggerUIBundle */

const place = document.querySelector('#explorer')

/** The library's parts that this page takes, in this page's order. */
function arrange({ React: { createElement } }) {
  function ExplorerLayout({ getComponent, specSelectors }) {
    const status = specSelectors.loadingStatus()
    if (status === 'failed') {
      const text = 'The description could not be loaded. Reload the page to try again.'
      return createElement('p', { role: 'alert' }, text)
    }
    if (status !== 'success') return createElement('p', null, 'Loading …')
    const part = (name, given) => createElement(getComponent(name, true), given)
    return createElement(
      'div',
      { className: 'swagger-ui' },
      createElement(
        'div',
        { className: 'explorer-head' },
        createElement('h2', null, 'Endpoints'),
        part('AuthorizeBtnContainer'),
      ),
      part('operations'),
      createElement('h2', null, 'How it works'),
      part('Markdown', { source: specSelectors.info().get('description') }),
    )
  }
  return {
    components: {
      ExplorerLayout,
      // A link within a button cannot be reached by a keyboard; the button does the same.
      DeepLink: ({ text }) => text,
      CopyToClipboardBtn: () => null,
    },
    wrapComponents: {
      headers: (Headers) => (given) =>
        createElement(
          'details',
          null,
          createElement('summary', null, 'Headers'),
          createElement(Headers, given),
        ),
    },
  }
}

const label = (text) => (element) => element.setAttribute('aria-label', text)

/** What the library's markup lacks for those who do not see it, or who use no mouse. */
const FIXES = {
  pre: (element) => element.setAttribute('tabindex', '0'),
  'table[role=region]': (element) => element.removeAttribute('role'),
  'tr[data-param-name] :is(input, select)': (element) =>
    label(element.closest('tr').dataset.paramName)(element),
  '.body-param__text': label('Request body'),
  '.examples-select-element': label('Example'),
  '.close-modal': label('Close'),
  '.modal-btn.auth': (element) => element.removeAttribute('aria-label'),
  '.json-schema-2020-12-accordion:not(:has(.json-schema-2020-12__title))': label('Fields'),
}

new MutationObserver(() => {
  for (const [selector, fix] of Object.entries(FIXES)) {
    for (const element of place.querySelectorAll(selector)) fix(element)
  }
}).observe(place, { childList: true, subtree: true })

/** Calls the service without the visitor's cookies. */
function ask(request) {
  const { pathname, search } = new URL(request.url, location.href)
  request.url = location.origin + pathname + search
  request.credentials = 'omit'
  return request
}

SwaggerUIBundle({
  url: place.dataset.description,
  domNode: place,
  layout: 'ExplorerLayout',
  plugins: [arrange],
  requestInterceptor: ask,
  deepLinking: true,
  displayRequestDuration: true,
  syntaxHighlight: false,
  tryItOutEnabled: true,
  validatorUrl: null,
})
