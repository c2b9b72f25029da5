import type { BranchChange, RunningBranches, Waited } from './branches.ts'

/** The message after a change. */
export function doneText(change: BranchChange): string {
  switch (change.do) {
    case 'create':
      return `Created branch ${change.name}.`
    case 'switch':
      return `The backend now uses the data of branch ${change.name}.`
    case 'delete':
      return `Deleted branch ${change.name}.`
    case 'save-snapshot':
      return `Saved snapshot ${change.name}.`
    case 'restore-snapshot':
      return `The backend now uses the data of snapshot ${change.name}.`
    case 'delete-snapshot':
      return `Deleted snapshot ${change.name}.`
  }
}

/** Whether a restart resulted in the intended data: another branch, or other data of the same branch. */
export function isReached({ change, folder }: Waited, { branches }: RunningBranches): boolean {
  const current = branches.find((one) => one.current)
  return change.do === 'switch' ? current?.name === change.name : current?.folder !== folder
}

/** A change to confirm. */
export type ConfirmedChange = Extract<
  BranchChange,
  { do: 'switch' | 'delete' | 'restore-snapshot' | 'delete-snapshot' }
>

type Question = {
  readonly title: string
  readonly action: string
  readonly text: string
  /** The name to type for confirmation. */
  readonly name?: string
}

/** Returns the question to ask before a change. @param current The name of the current branch. */
export function questionOf({ do: kind, name }: ConfirmedChange, current: string): Question {
  switch (kind) {
    case 'switch':
      return {
        title: `Switch to ${name}`,
        action: 'Switch',
        text: `The backend restarts with the data of ${name}. Apps lose their connections for about a second; ${current} keeps its data.`,
      }
    case 'delete':
      return {
        title: `Delete ${name}`,
        action: 'Delete',
        name,
        text: `This deletes the rows, users, files and emails of branch ${name}.`,
      }
    case 'restore-snapshot':
      return {
        title: `Restore ${name}`,
        action: 'Restore',
        name,
        text: `The backend restarts, and the rows, users, files and emails of branch ${current} are replaced by those of the snapshot ${name}, which stays. The current data of ${current} is kept as a snapshot for a day: \`undock undo\` restores it.`,
      }
    case 'delete-snapshot':
      return {
        title: `Delete ${name}`,
        action: 'Delete',
        text: `This deletes the snapshot ${name}. No branch changes.`,
      }
  }
}
