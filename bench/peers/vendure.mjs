// A shop of Vendure with one product, a payment that settles at once and shipping for nothing.
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'

const require = createRequire(import.meta.url)
const { bootstrap, DefaultLogger, dummyPaymentHandler, LogLevel } = require('@vendure/core')
const { populate } = require('@vendure/core/cli')

const { PORT, DATABASE_URL } = process.env
const { hostname, port, username, pathname } = new URL(DATABASE_URL)
const connection = { host: hostname, port: Number(port), username, database: pathname.slice(1) }
const config = {
  apiOptions: { port: Number(PORT), hostname: '127.0.0.1', shopApiPath: 'shop-api' },
  authOptions: { tokenMethod: 'bearer', requireVerification: false },
  dbConnectionOptions: { type: 'postgres', ...connection, synchronize: true, logging: false },
  paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
  logger: new DefaultLogger({ level: LogLevel.Error }),
}
const settle = [{ name: 'automaticSettle', value: 'true' }]
const shop = {
  defaultLanguage: 'en',
  defaultZone: 'America',
  countries: [{ name: 'United States of America', code: 'US', zone: 'America' }],
  taxRates: [{ name: 'Sales tax', percentage: 5 }],
  shippingMethods: [{ name: 'None', price: 0 }],
  paymentMethods: [
    { name: 'Card', handler: { code: dummyPaymentHandler.code, arguments: settle } },
  ],
  collections: [],
}
const columns =
  'name,slug,description,assets,facets,optionGroups,optionValues,sku,price,taxCategory,' +
  'stockOnHand,trackInventory,variantAssets,variantFacets'
const csv = resolve('products.csv')
writeFileSync(csv, `${columns}\nTidepool,tidepool,Tides,,,,,TIDE,12.00,Sales tax,1000000,false,,\n`)
await populate(() => bootstrap(config), shop, csv)
