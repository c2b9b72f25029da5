export const MENU =
  'z-50 max-w-[calc(100vw-1rem)] animate-rise overflow-y-auto rounded-lg border border-line bg-surface p-1 shadow-lift'

export const MENU_ITEM =
  'flex min-h-9 cursor-pointer select-none items-center gap-2.5 rounded-md pe-2.5 base:ps-2.5 py-1.5 text-sm base:text-ink outline-none data-[disabled]:cursor-not-allowed data-[highlighted]:bg-hover data-[disabled]:opacity-50 [&_svg]:size-4 base:[&_svg]:text-ink-faint'

export const SIDE_ROW =
  'group relative flex items-center rounded-md data-over:bg-accent-soft data-over:outline-2 data-over:outline-accent'
/** A link in the sidebar, as wide as the others: the row's button lies over its end. */
export const SIDE_LINK =
  'flex min-h-9 min-w-0 flex-1 items-center gap-2.5 rounded-md ps-2.5 pe-9 text-ink-soft text-sm hover:bg-hover hover:text-ink data-[status=active]:bg-hover data-[status=active]:font-medium data-[status=active]:text-ink'
export const SIDE_BUTTON =
  'absolute end-0.5 opacity-0 focus-visible:opacity-100 group-hover:opacity-100 data-[state=open]:opacity-100 pointer-coarse:opacity-100'
