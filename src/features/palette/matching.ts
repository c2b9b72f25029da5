import { defaultFilter } from 'cmdk'

/** Entries of a group that are rendered: more of them would slow down typing. */
const MOST = 20

type Labelled = { readonly label: string }
type Group<Action> = { readonly heading: string; readonly actions: readonly Action[] }

/** The actions that match the words, best first, by group; without words the first of each group. */
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
