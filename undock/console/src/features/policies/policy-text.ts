type Described = { readonly command: string; readonly roles: readonly string[]; readonly isPermissive: boolean }

/** What a policy is for, such as `select for authenticated, restrictive`. */
export const policyText = ({ command, roles, isPermissive }: Described): string =>
  `${command.toLowerCase()} for ${roles.join(', ')}${isPermissive ? '' : ', restrictive'}`
