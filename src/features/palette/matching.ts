import { defaultFilter } from 'cmdk'

/** Entries of a group that are rendered: more of them would slow down typing. */
const MOST = 20

type Labelled = { readonly label: string }
type Group<Action> = {
  readonly heading: string
  readonly actions: readonly Action[]
  /** The actions are the answer of a search: all of them are shown, in its order. */
  readonly isFound?: boolean
  /** It is after the groups whose labels match. */
  readonly isLast?: boolean
}

/** Where a found group is whose first label the words do not match, because they are misspelt: after those that match. */
const LEAST = Number.MIN_VALUE

/** The actions that match the words, best first, by group; without words the first of each group. */
export function matching<Action extends Labelled>(groups: readonly Group<Action>[], words: string): Group<Action>[] {
  const wanted = words.trim()
  if (wanted === '') {
    return groups
      .filter(({ actions }) => actions.length > 0)
      .map(({ heading, actions }) => ({ heading, actions: actions.slice(0, MOST) }))
  }
  return groups
    .map(({ heading, actions, isFound, isLast }) => {
      const [first] = actions
      if (isFound) {
        const rating = first && !isLast ? defaultFilter(first.label, wanted) : 0
        return { heading, actions, best: first ? Math.max(LEAST, rating) : 0 }
      }
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
