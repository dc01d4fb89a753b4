const PREFIX = "login: "

/** Nobody is logged in: the run ends, since what it would see from now on says nothing of the pages. */
export class LoginError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(`${PREFIX}${message}`, options)
    this.name = "LoginError"
  }
}

/** Whether the error that a run failed with, as it is recorded, is a {@link LoginError}. */
export const isLoginError = (message: string | null): boolean => message?.startsWith(PREFIX) ?? false
