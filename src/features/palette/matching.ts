import { defaultFilter } from 'cmdk'

/** More rendered entries per group would slow down typing. */
const MAX_ACTIONS = 20

type Labelled = { readonly label: string }
type Group<Action> = {
  readonly heading: string
  readonly actions: readonly Action[]
  /** Search results: all are shown, in their order. */
  readonly isFound?: boolean
  readonly isLast?: boolean
}

/** The rank of search results whose first label doesn't match because of a typo. */
const MIN_RATING = Number.MIN_VALUE

/** Returns matching actions by group, best first; without words, the first of each group. */
export function matching<Action extends Labelled>(groups: readonly Group<Action>[], words: string): Group<Action>[] {
  const query = words.trim()
  if (query === '') {
    return groups
      .filter(({ actions }) => actions.length > 0)
      .map(({ heading, actions }) => ({ heading, actions: actions.slice(0, MAX_ACTIONS) }))
  }
  return groups
    .map(({ heading, actions, isFound, isLast }) => {
      const [first] = actions
      if (isFound) {
        const rating = first && !isLast ? defaultFilter(first.label, query) : 0
        return { heading, actions, best: first ? Math.max(MIN_RATING, rating) : 0 }
      }
      const rated = actions
        .map((action) => ({ action, rating: defaultFilter(action.label, query) }))
        .filter(({ rating }) => rating > 0)
        .toSorted((one, other) => other.rating - one.rating)
        .slice(0, MAX_ACTIONS)
      return { heading, actions: rated.map(({ action }) => action), best: rated[0]?.rating ?? 0 }
    })
    .filter(({ best }) => best > 0)
    .toSorted((one, other) => other.best - one.best)
}
