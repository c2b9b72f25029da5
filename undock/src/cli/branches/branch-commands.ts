import { type Command, Option } from 'commander'
import {
  addCommand,
  addGroup,
  backend,
  examples,
  flag,
  noSnapshot,
  outputFormat,
  type Run,
  schema,
  sleepAfter,
  yes,
} from '../command-parts.ts'

const BRANCH_NOTES = `
A backend has one branch until you create another. A branch starts as a copy of another one. Migrations
are files, which branches do not change: apply pending ones with \`undock migration up\`.

With branches = "git" in supabase/undock.toml, \`undock start\` uses the data of the branch that git has checked out, and
copies it from the nearest branch when it is new. A running backend keeps its data when git switches, and \`undock status\`
says so; \`undock branch switch\` without a name follows git.
${examples('undock branch switch --create try-tags', 'undock branch diff main', 'undock branch delete try-tags')}`

const SNAPSHOT_NOTES = examples('undock snapshot save before-import', 'undock snapshot restore before-import --yes')

const FORK_NOTES = `
A fork is a backend that runs next to the original, with its own data and ports. (A branch is data that one backend switches to.)
Use it with --name, like any other backend: \`undock status --name FORK\`, \`undock stop --name FORK\`. \`undock list\` shows it.
${examples('undock fork try-tags', 'undock fork keep try-tags', 'undock fork delete try-tags')}`

/** The commands `undock branch …`, `undock fork …` and `undock snapshot …`. */
export function addBranchCommands(program: Command, run: Run): void {
  const branch = addGroup(program, 'branch', 'manage branches, each with its own database, files, users and emails')
  branch.addHelpText('after', BRANCH_NOTES)
  addCommand(branch, 'list', 'list the branches; * marks the current one', [...backend(), outputFormat()]).action(
    run(() => import('./branch.ts').then(({ branchList }) => branchList)),
  )
  addCommand(branch, 'create', 'create a branch with a copy of the data of another one', [
    ...backend(),
    new Option('--from <branch>', 'copy the data of this branch (default: the current one)'),
  ])
    .argument('<branch>', 'its name, such as that of a git branch')
    .action(run(() => import('./branch.ts').then(({ branchCreate }) => branchCreate)))
  addCommand(branch, 'switch', 'switch to the data of another branch; restarts a running backend', [
    ...backend(),
    flag('-c, --create', 'create the branch first, with a copy of the current data'),
  ])
    .argument('[branch]', 'optional when branches follow git')
    .addHelpText('after', examples('undock branch switch --create try-tags', 'undock branch switch main'))
    .action(run(() => import('./branch.ts').then(({ branchSwitch }) => branchSwitch)))
  addCommand(branch, 'diff', 'print what another branch adds to the current one: schema as SQL, row counts', [
    ...backend(),
    schema(),
    outputFormat(),
  ])
    .argument('<branch>')
    .action(run(() => import('./branch.ts').then(({ branchDiff }) => branchDiff)))
  addCommand(branch, 'merge-schema', 'write the schema that another branch adds to the migrations as a migration', [
    ...backend(),
    new Option('-f, --file <name>', 'the name of the migration (default: merge_ and the name of the branch)'),
    schema(),
  ])
    .argument('<branch>', 'its rows are not merged')
    .action(run(() => import('./branch.ts').then(({ mergeSchema }) => mergeSchema)))
  addCommand(branch, 'delete', 'delete a branch with its rows, users, files and emails', [
    ...backend(),
    yes(),
    noSnapshot(),
  ])
    .argument('<branch>')
    .action(run(() => import('./branch.ts').then(({ branchDelete }) => branchDelete)))

  const fork = addCommand(program, 'fork', 'start another backend of the project with a copy of all data as of now', [
    ...backend(),
    sleepAfter(),
  ])
    .argument('<fork>', 'its name')
    .helpCommand(false)
    .addHelpText('after', FORK_NOTES)
    .action(run(() => import('./fork.ts').then(({ fork }) => fork)))
  addCommand(fork, 'keep', 'replace the data with that of a fork, and delete the fork; restarts a running backend', [
    ...backend(),
    yes(),
    noSnapshot(),
  ])
    .argument('<fork>')
    .action(run(() => import('./fork.ts').then(({ forkKeep }) => forkKeep)))
  addCommand(fork, 'delete', 'stop another backend of the project, and delete its rows, users, files and emails', [
    ...backend(),
    yes(),
  ])
    .argument('<fork>')
    .action(run(() => import('./fork.ts').then(({ forkDelete }) => forkDelete)))

  const snapshot = addGroup(program, 'snapshot', 'save rows, users, files and emails under a name, and restore them')
  snapshot.addHelpText('after', SNAPSHOT_NOTES)
  addCommand(snapshot, 'list', 'list the snapshots', [...backend(), outputFormat()]).action(
    run(() => import('./snapshot.ts').then(({ snapshotList }) => snapshotList)),
  )
  addCommand(snapshot, 'save', 'save a copy of the data of the current branch', backend())
    .argument('<snapshot>', 'its name')
    .action(run(() => import('./snapshot.ts').then(({ snapshotSave }) => snapshotSave)))
  addCommand(snapshot, 'restore', 'replace the data of the current branch; restarts a running backend', [
    ...backend(),
    yes(),
    noSnapshot(),
  ])
    .argument('<snapshot>')
    .action(run(() => import('./snapshot.ts').then(({ snapshotRestore }) => snapshotRestore)))
  addCommand(snapshot, 'delete', 'delete a snapshot', [...backend(), yes()])
    .argument('<snapshot>')
    .action(run(() => import('./snapshot.ts').then(({ snapshotDelete }) => snapshotDelete)))
}
