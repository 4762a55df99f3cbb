import type { Locale } from '#platform/language/locale'

const CODES =
  'AD AE AF AG AI AL AM AO AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT ' +
  'BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG ER ' +
  'ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GT GU GW GY HK HN HR HT HU ID ' +
  'IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT ' +
  'LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI ' +
  'NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE ' +
  'SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ ' +
  'UA UG UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'

type Country = { value: string; label: string }

const listed = new WeakMap<Locale, Country[]>()

/** Every country for the address form, the United States first. */
export function countries(locale: Locale): Country[] {
  let list = listed.get(locale)
  if (!list) {
    const all = CODES.split(' ').map((value) => ({ value, label: locale.country(value) }))
    all.sort((left, right) => locale.compare(left.label, right.label))
    list = [{ value: 'US', label: locale.country('US') }, ...all]
    listed.set(locale, list)
  }
  return list
}
