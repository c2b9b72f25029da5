/** The address that mailed links and sign-in providers return to. @param next The path to continue with. */
export const callbackUrl = (next: string): string => `${location.origin}/auth/callback?${new URLSearchParams({ next })}`
