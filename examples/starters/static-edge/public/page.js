const [license, prices] = await Promise.all(
  ['/api/license', '/api/prices'].map(async (path) => (await fetch(path)).json()),
)

document.querySelector('#license').textContent = license.entitled
  ? `The app is open (${license.status}).`
  : `The app is locked (${license.status}).`

for (const { public_id, product_name, amount, frequency } of prices.prices) {
  const link = document.createElement('a')
  link.href = `/buy?price=${encodeURIComponent(public_id)}`
  link.textContent = `Buy ${product_name} for $${amount} ${frequency ?? 'once'}`
  const item = document.createElement('li')
  item.append(link)
  document.querySelector('#prices').append(item)
}
