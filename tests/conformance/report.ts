import { table } from '../bench/table.ts'

/** What a suite found. */
export type Report = {
  readonly title: string
  readonly cases: readonly ReportedCase[]
  /** Parts of the suite that could not be translated into cases. */
  readonly untranslated: readonly { readonly place: string; readonly reason: string }[]
}

export type ReportedCase = {
  readonly group: string
  readonly name: string
  /** Why it does not hold; null when it does. */
  readonly miss: string | null
  /** Why it cannot hold here; such a case is not counted among the misses. */
  readonly excluded: string | null
}

/** Renders a report as text: one row a group, then each miss with its reason. */
export function renderReport({ title, cases, untranslated }: Report): string {
  const groups = Map.groupBy(cases, ({ group }) => group)
  const rows = [...groups].map(([group, members]) => countsRow(group, members))
  const misses = cases.filter(isMiss).map(({ group, name, miss }) => `- ${group}: ${name}\n  ${miss}`)
  const excluded = Map.groupBy(
    cases.filter(({ excluded }) => excluded !== null),
    ({ excluded }) => excluded,
  )
  return [
    `## ${title}`,
    table(['specs', 'cases', 'hold', 'left out'], [...rows, countsRow('all', cases)]),
    ...(misses.length === 0 ? [] : [`Misses (${misses.length}):\n\n${misses.join('\n')}`]),
    ...[...excluded].map(([reason, members]) => `Left out (${members.length}): ${reason}`),
    ...(untranslated.length === 0
      ? []
      : [
          `Not translated (${untranslated.length}):\n\n${untranslated.map(({ place, reason }) => `- ${place}: ${reason}`).join('\n')}`,
        ]),
  ].join('\n\n')
}

const isMiss = ({ miss, excluded }: ReportedCase): boolean => miss !== null && excluded === null

const countsRow = (group: string, cases: readonly ReportedCase[]): string[] => [
  group,
  String(cases.length),
  String(cases.filter(({ miss }) => miss === null).length),
  String(cases.filter(({ miss, excluded }) => miss !== null && excluded !== null).length),
]
