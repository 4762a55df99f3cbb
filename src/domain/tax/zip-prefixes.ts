/**
 * The states by the first three digits of a ZIP code, as USPS assigns them: Domestic Mail Manual,
 * Labeling List L002 (3-Digit ZIP Code Prefix Matrix) and the City State Product, as of 2026-11-01.
 *
 * Single ZIP codes come and go every month; prefixes have not moved for decades. A prefix that is
 * not assigned yet inside a state's block counts as that state's, as new ones are assigned there.
 * AA, AE and AP are military and diplomatic posts (APO, FPO, DPO).
 */
export const PREFIXES: Readonly<Record<string, string>> = {
  AA: '340',
  AE: '090-098',
  AK: '995-999',
  AL: '350-369',
  AP: '962-966',
  AR: '716-729',
  AZ: '850-865',
  CA: '900-961',
  CO: '800-816',
  CT: '060-069',
  DC: '200 202-205 569',
  DE: '197-199',
  FL: '320-339 341-349',
  GA: '300-319 398-399',
  GU: '969',
  HI: '967-968',
  IA: '500-528',
  ID: '832-838',
  IL: '600-629',
  IN: '460-479',
  KS: '660-679',
  KY: '400-427',
  LA: '700-714',
  MA: '010-027 055',
  MD: '206-219',
  ME: '039-049',
  MI: '480-499',
  MN: '550-567',
  MO: '630-658',
  MS: '386-397',
  MT: '590-599',
  NC: '270-289',
  ND: '580-588',
  NE: '680-693',
  NH: '030-038',
  NJ: '070-089',
  NM: '870-884',
  NV: '889-898',
  NY: '005 100-149',
  OH: '430-459',
  OK: '730-732 734-749',
  OR: '970-979',
  PA: '150-196',
  PR: '006-007 009',
  RI: '028-029',
  SC: '290-299',
  SD: '570-577',
  TN: '370-385',
  TX: '733 750-799 885',
  UT: '840-847',
  VA: '201 220-246',
  VI: '008',
  VT: '050-054 056-059',
  WA: '980-994',
  WI: '530-549',
  WV: '247-268',
  WY: '820-831',
}

/**
 * The ZIP codes whose post office is in another state than their prefix says. A ZIP code whose
 * routes cross a state line (42223, 59221, 86515) is not an exception: USPS assigns it to the state
 * of its post office, which is its prefix's.
 */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  '06390': 'NY', // Fishers Island, served from Connecticut
  '20588': 'MD', // federal offices
  '20598': 'VA', // federal offices
  '73960': 'TX', // Texhoma
  '83414': 'WY', // Alta, served from Idaho
  '96799': 'AS', // American Samoa
  '96950': 'MP', // Saipan
  '96951': 'MP', // Rota
  '96952': 'MP', // Tinian
}

/**
 * Sovereign states that USPS serves under the prefix of Guam: not addresses in the United States.
 * Palau: 96939, 96940. Micronesia: 96941 to 96944. Marshall Islands: 96960, 96970.
 */
export const SOVEREIGN: ReadonlySet<string> = new Set(
  '96939 96940 96941 96942 96943 96944 96960 96970'.split(' '),
)
