/** The shore by height: the lower the zone, the rarer the hour in which it can be walked. */
export type Icon = 'barnacle' | 'star' | 'anemone'
export type Zone = { name: string; below_feet: number; residents: string; icon: Icon }

export const zones: Zone[] = [
  {
    name: 'High zone',
    below_feet: 4,
    icon: 'barnacle',
    residents: 'Acorn barnacles, limpets, and shore crabs in the cracks.',
  },
  {
    name: 'Middle zone',
    below_feet: 1.8,
    icon: 'star',
    residents: 'Mussel beds, ochre stars, and carpets of small anemones.',
  },
  {
    name: 'Low zone',
    below_feet: 0,
    icon: 'anemone',
    residents: 'Giant green anemones, purple urchins, and sea slugs under the kelp.',
  },
]

const drawings: Record<Icon, string[]> = {
  barnacle: [
    'M4 41c4-7 7-15 8-25M44 41c-4-7-7-15-8-25M3 41h42',
    'M12 16a12 4.5 0 0 0 24 0a12 4.5 0 0 0-24 0Z',
    'M17 20c0 8-2 15-4 21M24 20.5V41M31 20c0 8 2 15 4 21',
    'M19 16h10',
  ],
  star: [
    'M24.0 5.5Q27.6 20.5 43.0 19.3Q29.9 27.4 35.8 41.7Q24.0 31.7 12.2 41.7Q18.1 27.4 5.0 19.3Q20.4 20.5 24.0 5.5Z',
    'M24.0 20.5h0M24.0 14.5h0M28.8 24.0h0M34.5 22.1h0M26.9 29.5h0M30.5 34.4h0M21.1 29.5h0M17.5 34.4h0M19.2 24.0h0M13.5 22.1h0',
  ],
  anemone: [
    'M15 44c2-5 3-9 3-14h12c0 5 1 9 3 14Z',
    'M18 30C11 29 5 25 4 17M20 30c-6-5-8-11-7-18M22.5 30C20 22 19.5 15 21 7',
    'M30 30c7-1 13-5 14-13M28 30c6-5 8-11 7-18M25.5 30C28 22 28.5 15 27 7',
  ],
}

export function ZoneIcon({ icon }: { icon: Icon }) {
  return (
    <svg class={`zone-icon is-${icon}`} viewBox="0 0 48 48" aria-hidden="true">
      {drawings[icon].map((d) => (
        <path key={d} d={d} />
      ))}
    </svg>
  )
}
