import { type Command, Option } from 'commander'
import type { BackendOptions, ConfirmedOptions } from '../arguments.ts'
import { addCommand, addGroup, type Exit, name, noSnapshot, outputFormat, schema, workdir } from '../command-parts.ts'
import { BRANCH_NOTES, examples, SNAPSHOT_NOTES } from '../help.ts'
import type { BranchCreateOptions, BranchListOptions, BranchSwitchOptions } from './branch.ts'
import type { BranchDiffOptions, MergeSchemaOptions } from './diff.ts'
import type { SnapshotListOptions, SnapshotRestoreOptions } from './snapshot.ts'

const backend = () => [workdir(), name()]
const yes = () => new Option('--yes', 'do not ask').default(false)

/** The commands `undock branch …` and `undock snapshot …`. */
export function addBranchCommands(program: Command, exit: Exit): void {
  const branch = addGroup(program, 'branch', 'give branches a database, files, users and mails of their own')
  branch.addHelpText('after', BRANCH_NOTES)
  addCommand(branch, 'list', 'print the branches; * marks the current one', [...backend(), outputFormat()]).action(
    (options: BranchListOptions) => exit(import('./branch.ts').then(({ branchList }) => branchList(options))),
  )
  addCommand(branch, 'create', 'make a branch with a copy of the data of another one', [
    ...backend(),
    new Option('--from <branch>', 'copy the data of this branch (default: the current one)'),
  ])
    .argument('<branch>', 'its name, such as that of a branch of git')
    .action((branch: string, options: BranchCreateOptions) =>
      exit(import('./branch.ts').then(({ branchCreate }) => branchCreate(branch, options))),
    )
  addCommand(branch, 'switch', 'work on the data of another branch; a running backend starts again', [
    ...backend(),
    new Option('-c, --create', 'make the branch first, with a copy of the data of the current one').default(false),
  ])
    .argument('[branch]', 'may be left out where branches follow git')
    .addHelpText('after', examples('undock branch switch --create try-tags', 'undock branch switch main'))
    .action((branch: string | undefined, options: BranchSwitchOptions) =>
      exit(import('./branch.ts').then(({ branchSwitch }) => branchSwitch(branch, options))),
    )
  addCommand(
    branch,
    'diff',
    'print what another branch has beyond the current one: structure as SQL, numbers of rows',
    [...backend(), schema(), outputFormat()],
  )
    .argument('<branch>')
    .action((branch: string, options: BranchDiffOptions) =>
      exit(import('./diff.ts').then(({ branchDiff }) => branchDiff(branch, options))),
    )
  addCommand(
    branch,
    'merge-schema',
    'write the structure that another branch has beyond the migrations as a migration',
    [
      ...backend(),
      new Option('-f, --file <name>', 'the name of the migration (default: merge_ and the name of the branch)'),
      schema(),
    ],
  )
    .argument('<branch>', 'its rows are not merged')
    .action((branch: string, options: MergeSchemaOptions) =>
      exit(import('./diff.ts').then(({ mergeSchema }) => mergeSchema(branch, options))),
    )
  addCommand(branch, 'delete', 'delete a branch with its rows, users, files and mails', [...backend(), yes()])
    .argument('<branch>')
    .action((branch: string, options: ConfirmedOptions) =>
      exit(import('./branch.ts').then(({ branchDelete }) => branchDelete(branch, options))),
    )

  const snapshot = addGroup(program, 'snapshot', 'keep rows, users, files and mails under a name, to go back to')
  snapshot.addHelpText('after', SNAPSHOT_NOTES)
  addCommand(snapshot, 'list', 'print the snapshots that are kept', [...backend(), outputFormat()]).action(
    (options: SnapshotListOptions) => exit(import('./snapshot.ts').then(({ snapshotList }) => snapshotList(options))),
  )
  addCommand(snapshot, 'save', 'keep a copy of the data of the current branch', backend())
    .argument('<snapshot>', 'its name')
    .action((snapshot: string, options: BackendOptions) =>
      exit(import('./snapshot.ts').then(({ snapshotSave }) => snapshotSave(snapshot, options))),
    )
  addCommand(snapshot, 'restore', 'replace the data of the current branch; a running backend starts again', [
    ...backend(),
    yes(),
    noSnapshot(),
  ])
    .argument('<snapshot>')
    .action((snapshot: string, options: SnapshotRestoreOptions) =>
      exit(import('./snapshot.ts').then(({ snapshotRestore }) => snapshotRestore(snapshot, options))),
    )
  addCommand(snapshot, 'delete', 'delete a snapshot', [...backend(), yes()])
    .argument('<snapshot>')
    .action((snapshot: string, options: ConfirmedOptions) =>
      exit(import('./snapshot.ts').then(({ snapshotDelete }) => snapshotDelete(snapshot, options))),
    )
}
