/** A word that this project does not use, and its replacement. */
export interface RetiredWord {
  pattern: RegExp
  instead: string
}

const word = (text: string, instead: string): RetiredWord => ({
  pattern: new RegExp(`\\b(?:${text})\\b`, 'gi'),
  instead,
})

/** Archaic turns, metaphors and private names. No expression has a capturing group. */
export const RETIRED_WORDS: readonly RetiredWord[] = [
  word('any ?more', 'no longer'),
  word('who(?:so)?ever', 'a person who, or the role'),
  word('somebody', 'a person, someone, or the role'),
  word('nobody', 'no one, or the role'),
  word('anybody', 'anyone, or the role'),
  word('everybody', 'everyone, or the role'),
  word('he|him|his|himself|she|her|hers|herself', 'they, or the role'),
  word('shall', 'must or will'),
  word('in vain', 'without success'),
  word('told|tells', 'say, report, notify, list'),
  word('hears?|heard', 'receive, process, be notified of'),
  word('stands?|stood', 'be, appear, remain'),
  word('holds?|held', 'contain, keep, lock, be true; suspend; reserve'),
  word('by (?:itself|themselves)', 'automatically'),
  word('deeds?', 'staff action'),
  word('mend(?:s|ed|ing)?', 'fix, recover, correct'),
  word('spent', 'expired, used'),
  word('bills?', 'invoice'),
  word('letters?', 'email; character'),
  word('desks?', 'admin'),
  word('makers?', 'seller'),
  word('papers?', 'invoice PDF, receipt PDF'),
  word('play(?:s|ed|ing)?', 'run, simulate'),
  word('pastimes?|lives on', 'test clock'),
  word('undertakings?', 'task'),
  word('happenings?', 'timeline event'),
  word('askers?|doers?|filers?|entrants?', 'actor'),
  word('scenes?|stor(?:y|ies)', 'scenario, flow, example'),
  word('weather', 'network faults'),
  word('witness(?:es)?', 'check, proof'),
  word('rooms?|neighbou?rs?', 'module'),
  word('floors?', 'layer; minimum'),
  word('hallways?|doors?', 'shared file, index.ts'),
  word('houses?|towns?', 'project, service'),
  word('strangers?', 'another person, unknown browser'),
  word('anew|afresh', 'again'),
  word('in earnest', 'live, not as a dry run'),
  word('in a ring', 'deadlock'),
  word('parted', 'separated'),
  word('hangs? on', 'belong to, depend on'),
  word('(?:comes?|came|coming) together', 'add up, resolve'),
  { pattern: /normalised/gi, instead: 'normalized' },
  { pattern: /behaviour|colour/gi, instead: 'behavior, color' },
  { pattern: /(?<!aria-)labelled|set-up\b/gi, instead: 'labeled, setup' },
]

/** Texts in which a retired word is correct, and why. They are removed before the check. */
export const ALLOWED: readonly { text: RegExp; reason: string }[] = [
  { text: /dispute_?hold\w*/gi, reason: "the bank's withheld money, in the ledger and the API" },
  {
    text: /test\/[\w./-]+` ".+?"(?=[;. ]|$)/g,
    reason: 'a test title that docs/security.md quotes',
  },
  {
    text: /Math\.floor|\.floor\(\)|letter-spacing|US letter|'LETTER'|one of them a letter/g,
    reason: 'names of Node, CSS and a paper size',
  },
  { text: /\['postgres', 'nobody'\]/g, reason: 'a user of the operating system' },
  { text: /'Weather'/g, reason: "a category of the demo's app" },
]
