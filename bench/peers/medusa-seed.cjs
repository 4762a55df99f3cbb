// Fills the shop by Medusa's own workflows, as its starter does.
const { writeFileSync } = require('node:fs')
const { ContainerRegistrationKeys, Modules } = require('@medusajs/framework/utils')
const flows = require('@medusajs/medusa/core-flows')

exports.default = async function seed({ container }) {
  const link = container.resolve(ContainerRegistrationKeys.LINK)
  const run = async (name, input) => (await flows[name](container).run({ input })).result

  const sales = { salesChannelsData: [{ name: 'Bench' }] }
  const [channel] = await run('createSalesChannelsWorkflow', sales)
  const payment = { currency_code: 'usd', payment_providers: ['pp_system_default'] }
  const us = { name: 'United States', countries: ['us'], ...payment }
  const [region] = await run('createRegionsWorkflow', { regions: [us] })
  const rate = { rate: 5, name: 'Sales tax', code: 'us' }
  const tax = { country_code: 'us', provider_id: 'tp_system', default_tax_rate: rate }
  await run('createTaxRegionsWorkflow', [tax])

  const { option, profile } = await addShipping({ container, link, run, channel })
  const pro = { title: 'Pro', sku: 'TIDE', manage_inventory: false, options: { Plan: 'Pro' } }
  const plan = { ...pro, prices: [{ amount: 12, currency_code: 'usd' }] }
  const tidepool = {
    title: 'Tidepool',
    status: 'published',
    shipping_profile_id: profile.id,
    options: [{ title: 'Plan', values: ['Pro'] }],
    variants: [plan],
    sales_channels: [{ id: channel.id }],
  }
  const [product] = await run('createProductsWorkflow', { products: [tidepool] })

  const publishable = { title: 'Bench', type: 'publishable', created_by: '' }
  const [key] = await run('createApiKeysWorkflow', { api_keys: [publishable] })
  await run('linkSalesChannelsToApiKeyWorkflow', { id: key.id, add: [channel.id] })
  const ids = { region_id: region.id, option_id: option.id, variant_id: product.variants[0].id }
  writeFileSync('shop.json', JSON.stringify({ key: key.token, ...ids }))
}

/** A warehouse that ships to the United States for nothing. */
async function addShipping({ container, link, run, channel }) {
  const { STOCK_LOCATION, FULFILLMENT } = Modules
  const address = { address_1: '1 Main St', city: 'Austin', country_code: 'US' }
  const locations = [{ name: 'Bench', address }]
  const [location] = await run('createStockLocationsWorkflow', { locations })
  const at = { [STOCK_LOCATION]: { stock_location_id: location.id } }
  await link.create({ ...at, [FULFILLMENT]: { fulfillment_provider_id: 'manual_manual' } })
  await run('linkSalesChannelsToStockLocationWorkflow', { id: location.id, add: [channel.id] })
  const data = [{ name: 'Bench', type: 'bench' }]
  const [profile] = await run('createShippingProfilesWorkflow', { data })
  const zone = { name: 'US', geo_zones: [{ country_code: 'us', type: 'country' }] }
  const shipping = { name: 'Bench', type: 'shipping', service_zones: [zone] }
  const set = await container.resolve(FULFILLMENT).createFulfillmentSets(shipping)
  await link.create({ ...at, [FULFILLMENT]: { fulfillment_set_id: set.id } })
  const none = {
    name: 'None',
    price_type: 'flat',
    provider_id: 'manual_manual',
    service_zone_id: set.service_zones[0].id,
    shipping_profile_id: profile.id,
    type: { label: 'None', description: 'None', code: 'none' },
    prices: [{ currency_code: 'usd', amount: 0 }],
    rules: [
      { attribute: 'enabled_in_store', value: 'true', operator: 'eq' },
      { attribute: 'is_return', value: 'false', operator: 'eq' },
    ],
  }
  const [option] = await run('createShippingOptionsWorkflow', [none])
  return { option, profile }
}
