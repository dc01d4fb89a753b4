const PREFIX = "login: "

/** The login failed. The run ends, since whatever the site shows from now on says nothing about its pages. */
export class LoginError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(`${PREFIX}${message}`, options)
    this.name = "LoginError"
  }
}

/** Whether the error that a run failed with, as it is recorded, is a {@link LoginError}. */
export const isLoginError = (message: string | null): boolean => message?.startsWith(PREFIX) ?? false
