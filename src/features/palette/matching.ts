import { defaultFilter } from 'cmdk'

/** As many of a group as are drawn: with more, each letter typed would wait for them. */
const MOST = 20

type Labelled = { readonly label: string }
type Group<Action> = { readonly heading: string; readonly actions: readonly Action[] }

/** What the words may mean, the likeliest first, in the groups that it belongs to; without words the first of each. */
export function matching<Action extends Labelled>(groups: readonly Group<Action>[], words: string): Group<Action>[] {
  const wanted = words.trim()
  if (wanted === '') return groups.map(({ heading, actions }) => ({ heading, actions: actions.slice(0, MOST) }))
  return groups
    .map(({ heading, actions }) => {
      const rated = actions
        .map((action) => ({ action, rating: defaultFilter(action.label, wanted) }))
        .filter(({ rating }) => rating > 0)
        .toSorted((one, other) => other.rating - one.rating)
        .slice(0, MOST)
      return { heading, actions: rated.map(({ action }) => action), best: rated[0]?.rating ?? 0 }
    })
    .filter(({ best }) => best > 0)
    .toSorted((one, other) => other.best - one.best)
}
