import type { BranchChange, RunningBranches, Waited } from './branches.ts'

/** The message after a change. */
export function doneText(change: BranchChange): string {
  switch (change.do) {
    case 'create':
      return `Branch ${change.name} is made.`
    case 'switch':
      return `The backend works on the data of branch ${change.name}.`
    case 'delete':
      return `Branch ${change.name} is deleted.`
    case 'save-snapshot':
      return `Snapshot ${change.name} is kept.`
    case 'restore-snapshot':
      return `The backend works on the data of snapshot ${change.name}.`
    case 'delete-snapshot':
      return `Snapshot ${change.name} is deleted.`
  }
}

/** Whether a new start has led to the data that it was for: to another branch, or to other data of the same one. */
export function isReached({ change, folder }: Waited, { branches }: RunningBranches): boolean {
  const current = branches.find((one) => one.current)
  return change.do === 'switch' ? current?.name === change.name : current?.folder !== folder
}

/** A change that a person confirms. */
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

/** The question before a change. @param current The name of the current branch. */
export function questionOf({ do: kind, name }: ConfirmedChange, current: string): Question {
  switch (kind) {
    case 'switch':
      return {
        title: `Switch to ${name}`,
        action: 'Switch',
        text: `The backend starts again with the data of ${name}. Apps lose their connections for about a second; ${current} keeps its data.`,
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
        text: `The backend starts again, and the rows, users, files and emails of branch ${current} are replaced by those of the snapshot ${name}, which stays. What ${current} has now is kept as a snapshot for a day; \`undock undo\` brings it back, too.`,
      }
    case 'delete-snapshot':
      return {
        title: `Delete ${name}`,
        action: 'Delete',
        text: `This deletes the snapshot ${name}. No branch changes.`,
      }
  }
}
