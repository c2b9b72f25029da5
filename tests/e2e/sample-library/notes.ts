export type SampleNote = {
  readonly title: string
  readonly collection: string
  readonly tags: readonly string[]
  readonly body: string
}

/** Notes of a trust that keeps old lighthouses. @param person Returns ids by first name, for mentions. */
export const sampleNotes = (
  person: Readonly<Record<string, string>>,
): readonly [plan: SampleNote, decision: SampleNote, meeting: SampleNote, guide: SampleNote, draft: SampleNote] => [
  {
    title: 'Relighting Skerry Point',
    collection: 'Skerry Point',
    tags: ['decision', 'lens'],
    body: `We want the light to be shown again on **21 March**. This page says what has to happen until then, and who does it.

## What we know

The survey found the masonry sound and the lantern leaking. The lens can stay as it is: its cracked prism costs two per cent of the light.

> Measured with a lamp of 250 watts the beam reaches eighteen sea miles in clear air.

## Who does what

| Work | Who | Until |
| --- | --- | --- |
| Gallery rail | Mary | 30 November |
| Panes 5 and 6 | Grace | 15 December |
| Bearing and carriage | Ada | 31 January |

## Before the winter

- [x] Free the sixteen ventilators
- [x] Order linseed putty
- [ ] Mend the rail on the seaward side
- [ ] @[Mary Somerville](${person.Mary}) asks the harbour office for the boat

## Open questions

1. Does the old lamp changer still work?
2. May visitors go up while the lens is cleaned?
`,
  },
  {
    title: 'LED or the old lamp?',
    collection: 'Skerry Point',
    tags: ['decision'],
    body: `**Decision:** we keep an incandescent lamp of 250 watts in the lens and put the LED beacon on the gallery.

## Why

A Fresnel lens is made for a small, hot source. An LED array is larger than the focus, and a third of its light goes into the sea.

## What it costs

The lamp lasts a thousand hours. The changer holds two, so somebody climbs the tower every three months.
`,
  },
  {
    title: 'Monday meeting, 16 November',
    collection: 'Meetings',
    tags: ['minutes'],
    body: `Present: Ada, Grace, Mary.

## Boat

The harbour office lends us the *Petrel* on Thursdays until the end of March.

## Visitors

Ness Head opens at weekends. We need two more people who can tell the story of the rescue of 1881 without looking at the board.

- [x] Publish the tide tables
- [ ] Print the new leaflet
`,
  },
  {
    title: 'How we photograph a lens',
    collection: 'Manuals',
    tags: ['how to', 'lens'],
    body: `Two lamps, black cloth behind the lens, and nobody in white.

1. Cover the windows on the sunny side.
2. Put the camera at the height of the focus.
3. Photograph each panel with the scale beside it, from left to right.
4. Note the number of the panel before you move.
`,
  },
  {
    title: 'Relighting Skerry Point, first draft',
    collection: 'Reports',
    tags: [],
    body: `We want the light to be shown again on **1 May**. This page says what has to happen until then.

## What we know

The survey found the masonry sound and the lantern leaking. The lens has to be taken apart: its cracked prism costs a fifth of the light.

## Before the winter

- [ ] Free the sixteen ventilators
- [ ] Order silicone for the panes
`,
  },
]
