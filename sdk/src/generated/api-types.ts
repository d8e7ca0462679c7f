// Written by `npm run openapi` from docs/openapi.json; not to be edited.

export interface paths {
    "/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys, newest first
         * @description Use `sort` for another order. A key must match all filters. A key whose position changes while you read the pages may appear twice or not at all; this cannot happen when sorting by `createdAt`.
         *
         *     Required scope: `keys:read`.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The whole value is shown only in this response. `projectId` defaults to the project of the access key, or to the only active project of the account.
         *
         *     Required scope: `keys:write`.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count API keys
         * @description Accepts the same filters as the list.
         *
         *     Required scope: `keys:read`.
         */
        get: operations["countApiKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an API key
         * @description Required scope: `keys:read`.
         */
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        /**
         * Revoke or erase an API key
         * @description A revoked key can be reactivated. An erased key cannot be restored. Both take effect before the response is sent.
         *
         *     Required scope: `keys:write`.
         */
        delete: operations["deleteApiKey"];
        options?: never;
        head?: never;
        /**
         * Update an API key
         * @description Fields that you omit are not changed, and `null` clears a field. `customMetaData` is replaced as a whole. If you send a new `key`, the old value stops working immediately.
         *
         *     Required scope: `keys:write`.
         */
        patch: operations["updateApiKey"];
        trace?: never;
    };
    "/api-keys/{key}/reactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Reactivate a revoked API key
         * @description An expired key is rejected until its expiry is changed.
         *
         *     Required scope: `keys:write`.
         */
        patch: operations["reactivateApiKey"];
        trace?: never;
    };
    "/api-keys/{key}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate an API key
         * @description Creates a key with a new value that replaces the old key. The old key stops working immediately, or after `graceSeconds`. Both keys share one rate-limit window.
         *
         *     Required scope: `keys:write`.
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import existing keys
         * @description Imports up to 1,000 rows and 1 MB per request. Each row has the value of a key, or the SHA-256 of the value. An invalid row does not affect the others. Repeating a request is safe: existing keys are returned as `exists`. If the request fails, no row is imported.
         *
         *     Required scope: `keys:write`.
         */
        post: operations["importApiKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/auth/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Validate an API key
         * @description Accepts the value of a key, not its id. To keep the key out of URLs, send it in the body.
         *
         *     Required scope: `keys:validate`.
         */
        get: operations["validateApiKeyByGet"];
        put?: never;
        /**
         * Validate an API key
         * @description Accepts the value of a key, not its id. To keep the key out of URLs, send it in the body.
         *
         *     Required scope: `keys:validate`.
         */
        post: operations["validateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/auth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate one API key, or up to 1,000 at once
         * @description With `key`, the response is that of the path form. With `keys`, it is 200 and an array with the result of each key, in the order of the request. A batch whose response would be larger than 16 MB is rejected with 413 `batch_too_large` and counts nothing: send half as many keys. With `lease`, it has what a process needs to validate the key in its own memory.
         *
         *     Required scope: `keys:validate`.
         */
        post: operations["validateApiKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/authenticate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate an API key, for old clients
         * @description Required scope: `keys:validate`.
         */
        post: operations["authenticateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/gateway/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Validate an API key for a gateway’s sub-request
         * @description For `auth_request` of nginx, `forward_auth` of Caddy and similar. Any method, and any path below this one, gives the same result. Send the gateway’s access key in `x-keyward-access-key`, and the key of its user in `x-keyward-key` (alone, or after `Bearer`). Without `x-keyward-key`, the `x-api-key` or `Authorization` header of the user is read. The fields of the key are returned in `x-keyward-*` headers, and the whole record in the body. `x-keyward-status` and `x-keyward-code` have the result, whatever status was requested. The permissions that the key must have are given by `permission` in the query, and in the header `x-keyward-permission`, separated by commas. With the header `x-keyward-own-errors: 503`, an error about the gateway’s own access key is a 503 `keyward_unavailable` instead of a 401 or 403.
         *
         *     Required scope: `keys:validate`.
         */
        get: operations["verifyForGateway"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/leases/return": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Return unused requests of leases
         * @description They are added to the window they were taken from, while it is open. A lease can be returned once, and no more than it granted. Other entries are ignored.
         *
         *     Required scope: `keys:validate`.
         */
        post: operations["returnLeases"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{key}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Explain whether a key would be valid
         * @description Makes the checks of a validation with the permissions, address and origin that you choose, and returns the result of each. Nothing is counted or taken from a limit.
         *
         *     Required scope: `keys:read`.
         */
        post: operations["explainApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List access keys, newest first
         * @description Required scope: `access-keys:read`.
         */
        get: operations["listAccessKeys"];
        put?: never;
        /**
         * Create an access key
         * @description The whole value is shown only in this response. You cannot grant a scope or a level that you do not have.
         *
         *     Required scope: `access-keys:write`.
         */
        post: operations["createAccessKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access-keys/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an access key
         * @description Required scope: `access-keys:read`.
         */
        get: operations["getAccessKey"];
        put?: never;
        post?: never;
        /**
         * Revoke an access key
         * @description Required scope: `access-keys:write`.
         */
        delete: operations["deleteAccessKey"];
        options?: never;
        head?: never;
        /**
         * Update an access key
         * @description Fields that you omit are not changed, and `null` clears a field.
         *
         *     Required scope: `access-keys:write`.
         */
        patch: operations["updateAccessKey"];
        trace?: never;
    };
    "/access-keys/{key}/reactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Reactivate a revoked access key
         * @description Required scope: `access-keys:write`.
         */
        patch: operations["reactivateAccessKey"];
        trace?: never;
    };
    "/access-keys/{key}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate an access key
         * @description Creates an access key with a new value that replaces the old one. The old value stops working immediately, or after `graceSeconds`.
         *
         *     Required scope: `access-keys:write`.
         */
        post: operations["rotateAccessKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List projects, newest first
         * @description Required scope: `projects:read`.
         */
        get: operations["listProjects"];
        put?: never;
        /**
         * Create a project
         * @description Requires an account-level access key. `env` determines the prefix of its keys and cannot be changed.
         *
         *     Required scope: `projects:write`.
         */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/projects/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve a project
         * @description Required scope: `projects:read`.
         */
        get: operations["getProject"];
        put?: never;
        post?: never;
        /**
         * Deactivate a project
         * @description Its keys are then rejected with 404, and its access keys with 401. Reactivating the project restores them.
         *
         *     Required scope: `projects:write`.
         */
        delete: operations["deleteProject"];
        options?: never;
        head?: never;
        /**
         * Update a project
         * @description Fields that you omit are not changed. A new `keyPrefix` applies to keys created or rotated from then on.
         *
         *     Required scope: `projects:write`.
         */
        patch: operations["updateProject"];
        trace?: never;
    };
    "/projects/{id}/reactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Reactivate a project
         * @description Required scope: `projects:write`.
         */
        patch: operations["reactivateProject"];
        trace?: never;
    };
    "/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the accounts that the caller belongs to
         * @description Required scope: `accounts:read`.
         */
        get: operations["listAccounts"];
        put?: never;
        /**
         * Create an account
         * @description For people and for the CLI of the operator. Access keys get 403.
         *
         *     Required scope: `accounts:write`.
         */
        post: operations["createAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an account
         * @description Required scope: `accounts:read`.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Rename an account
         * @description Required scope: `accounts:write`.
         */
        patch: operations["updateAccount"];
        trace?: never;
    };
    "/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invitations, newest first
         * @description Required scope: `invitations:read`.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite people to the account
         * @description Creates one invitation per address. Each has a link that works for 7 days and is shown only in this response. A new invitation replaces a pending one for the same address.
         *
         *     Required scope: `invitations:write`.
         */
        post: operations["createInvitations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invitations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve an invitation
         * @description Required scope: `invitations:read`.
         */
        get: operations["getInvitation"];
        put?: never;
        post?: never;
        /**
         * Cancel an invitation
         * @description Its link stops working. Cancelling a cancelled invitation has no effect.
         *
         *     Required scope: `invitations:write`.
         */
        delete: operations["deleteInvitation"];
        options?: never;
        head?: never;
        /**
         * Change the role of a pending invitation
         * @description The existing link keeps working.
         *
         *     Required scope: `invitations:write`.
         */
        patch: operations["updateInvitation"];
        trace?: never;
    };
    "/invitations/{id}/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the public details of an invitation
         * @description Shows an invited person what they would accept. Requires no credential. The id is not enough to accept the invitation.
         */
        get: operations["getInvitationInfo"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invitations/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a new link for a pending or expired invitation
         * @description The old link stops working.
         *
         *     Required scope: `invitations:write`.
         */
        post: operations["resendInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invitations/{id}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation
         * @description Requires the one-time token from the link. A new person sends their name and password, and is signed in. A person who is already signed in sends only the token.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the sign-in methods of this server */
        get: operations["getSignInMethods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with e-mail and password
         * @description Sets the session cookie, or requires the second factor. The response is the same for an unknown address and for a wrong password.
         */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-in/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Complete signing in with a code from the authenticator app */
        post: operations["signInWithTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-in/recovery-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Complete signing in with a recovery code */
        post: operations["signInWithRecoveryCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-in/passkey/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create the options for signing in with a passkey */
        post: operations["beginPasskeySignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-in/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in with a passkey */
        post: operations["signInWithPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign out */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-in/provider": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start signing in with an identity provider */
        post: operations["beginProviderSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/callback/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Complete signing in with an identity provider */
        get: operations["finishProviderSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start linking an identity provider to your login */
        post: operations["linkProvider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change your password
         * @description Ends all your other sessions.
         */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/password/forgot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a password reset by e-mail
         * @description The response is the same whether or not the person exists.
         */
        post: operations["forgetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/password/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password with the token from a link
         * @description Ends all sessions of the person.
         */
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/two-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set up the second factor
         * @description The second factor is enabled once it is confirmed with a code from the authenticator app.
         */
        post: operations["beginTwoFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/two-factor/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Enable the second factor with a first code */
        post: operations["confirmTwoFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/two-factor/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace your recovery codes */
        post: operations["newRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/two-factor/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Disable the second factor */
        post: operations["endTwoFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your passkeys */
        get: operations["listPasskeys"];
        put?: never;
        /** Add a passkey created by the browser */
        post: operations["addPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create the options for adding a passkey */
        post: operations["beginPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/passkeys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a passkey */
        delete: operations["removePasskey"];
        options?: never;
        head?: never;
        /** Rename a passkey */
        patch: operations["renamePasskey"];
        trace?: never;
    };
    "/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your sessions, newest first */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /** End all your other sessions */
        delete: operations["endOtherSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End one of your sessions */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm your identity with your password or a passkey
         * @description Required before adding or removing a passkey or linked login if the last sign-in is more than five minutes old. The confirmation is valid for this session, for five minutes. To confirm with a passkey, get the options for the browser from `POST /auth/sign-in/passkey/options`. People with neither a password nor a passkey sign in again.
         */
        post: operations["confirmIdentity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Retrieve the signed-in person and their accounts */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change your name */
        patch: operations["updateMe"];
        trace?: never;
    };
    "/auth/setup/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Retrieve the account of a setup link */
        post: operations["getSetupInfo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Become an owner of an account with a setup link
         * @description A new person sends their name, e-mail address and password, and is signed in. A person who is already signed in sends only the token.
         */
        post: operations["useSetupLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/teammates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of the account, newest first
         * @description Required scope: `invitations:read`.
         */
        get: operations["listTeammates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the role of a person in the account
         * @description Required scope: `invitations:read`.
         */
        get: operations["getUserRoles"];
        put?: never;
        post?: never;
        /**
         * Remove a person from the account, or from one project
         * @description With `projectId`, removes only that project from the role; removing the last project ends the role. A single project cannot be removed from a role for the whole account (`role_account_wide`): limit the role with `PATCH` and `projectIds` instead.
         *
         *     Required scope: `invitations:write`.
         */
        delete: operations["deleteUserRole"];
        options?: never;
        head?: never;
        /**
         * Change the role or the projects of a person
         * @description Takes effect with the next request of that person. An account must keep at least one owner of the whole account.
         *
         *     Required scope: `invitations:write`.
         */
        patch: operations["updateUserRole"];
        trace?: never;
    };
    "/me/accounts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Leave an account */
        delete: operations["leaveAccount"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{id}/owner-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a one-time link for a new owner of an account
         * @description For the operator only. Used by `npx keyward owner-link`.
         *
         *     Required scope: `accounts:write`.
         */
        post: operations["createOwnerLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}/password-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a one-time link to set a new password
         * @description For the operator only. Used by `npx keyward people reset-password`.
         *
         *     Required scope: `accounts:write`.
         */
        post: operations["createPasswordLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users/{id}/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove the second factor of a person
         * @description For people who have lost their second factor. For the operator only; used by `npx keyward people reset-second-factor`. Ends all sessions of the person.
         *
         *     Required scope: `accounts:write`.
         */
        delete: operations["deleteSecondFactor"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/topics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the topics that a webhook can subscribe to
         * @description Required scope: `webhooks:read`.
         */
        get: operations["listWebhookTopics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks, newest first
         * @description A project-level access key sees the webhooks of its project only.
         *
         *     Required scope: `webhooks:read`.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description The response contains the `secret` that signs the deliveries. It is shown only here and when it is rotated. `projectId` defaults to the project of the access key; `null`, the default of an account-level access key, means all projects of the account. `api-key.created` needs the scope `keys:write` too, `access-key.created` the scope `access-keys:write`: their events carry the value of the new key if the caller could create that key, otherwise the mask.
         *
         *     Required scope: `webhooks:write`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook
         * @description Required scope: `webhooks:read`.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Waiting deliveries are cancelled. The secret and the headers are erased.
         *
         *     Required scope: `webhooks:write`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Update, pause or resume a webhook
         * @description Fields that are left out do not change; `customHeaders` and `topics` are replaced as a whole. `status: live` also resumes a disabled webhook and sends the deliveries that were held. If the webhook moves to another project, waiting deliveries of the previous one are cancelled. With the topic `api-key.created`, the scope `keys:write` is needed too to change `url`, `topics` or `projectId`, to resume or to take over; with `access-key.created`, `access-keys:write`. Events carry key values only if everybody in `setBy` could create the key; `takeOver: true` replaces them by the caller.
         *
         *     Required scope: `webhooks:write`.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a webhook
         * @description The old secret stays valid for 24 hours: until then each delivery carries both signatures, and the secret cannot be rotated again.
         *
         *     Required scope: `webhooks:write`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test an endpoint
         * @description Sends one message to an endpoint, with or without a webhook for it, and returns the result. The message is not signed, since there may be no secret yet. If the endpoint fails, the response is a `200` with `success: false`. On each node, an account can send 60 pings a minute, and 4 at a time.
         *
         *     Required scope: `webhooks:write`.
         */
        post: operations["pingWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook, newest first
         * @description Kept for 30 days.
         *
         *     Required scope: `webhooks:read`.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries/{delivery}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a delivery with its payload
         * @description Required scope: `webhooks:read`.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/deliveries/{delivery}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description The delivery is sent now, with all its attempts and the same `webhook-id`. If it had ended, it carries the mask instead of a key value.
         *
         *     Required scope: `webhooks:write`.
         */
        post: operations["retryWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay the events of a time range
         * @description Sends the events that match the present topics of the webhook again, each with its own `webhook-id` and with key values masked. The replay runs in the background; `GET /webhooks/{id}/replays` shows its progress.
         *
         *     Required scope: `webhooks:write`.
         */
        post: operations["startWebhookReplay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/replays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the replays of a webhook, newest first
         * @description Required scope: `webhooks:read`.
         */
        get: operations["listWebhookReplays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}/replays/{replay}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the progress of a replay
         * @description Required scope: `webhooks:read`.
         */
        get: operations["getWebhookReplay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit log, newest first
         * @description One row for each resource that a call changed, written in the same transaction. Rows are never changed or deleted. A project-level access key sees the rows of its project.
         *
         *     Required scope: `audit:read`.
         */
        get: operations["listAuditLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/api-key-totals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the validations of each API key
         * @description One row per key, or per key and bucket. Without `dateGrouping`, every key is listed. With it, only buckets with validations are listed, or all buckets if a single `key` is requested. The range is widened to whole buckets; without grouping to whole hours, or to whole days where hours are no longer kept.
         *
         *     Required scope: `analytics:read`.
         */
        get: operations["getApiKeyTotals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/project-totals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the validations of each project
         * @description One row per project, or per project and bucket. The counts of an erased key remain in the total of its project. With `key`, `customAccountId` or `customUserId`, only those keys are counted.
         *
         *     Required scope: `analytics:read`.
         */
        get: operations["getProjectTotals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count validations over time, by key, customer, outcome or access key
         * @description Rows are sorted by group, then by date. Empty buckets are left out, except for a single `key` and when grouped by outcome. Minutes and hours are in UTC; days, weeks and months in `timezone`.
         *
         *     Required scope: `analytics:read`.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report uses of keys that you validated in your own process
         * @description A report is counted once for each `reporter` and `number`: send reports one after another, and repeat a report until it succeeds. Keys of others are ignored. An access key may use 10,000 reporters a day: use one for the life of a process.
         *
         *     Required scope: `keys:validate`.
         */
        post: operations["reportUsage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Receive changes of keys as they happen
         * @description Server-sent events for clients that cache validations. `change` names a key (`keyId`), or a project (`projectId`) for all of its keys: remove them from the cache. `reset`: clear the cache. `resumed`: all changes since the cursor have been sent. `beat` is sent every 250 ms; all changes made before its time `at` have been sent. `end` gives the reason why the stream ends. Events contain no secrets, and only keys of the access key’s own account or project.
         *
         *     Required scope: `keys:validate`.
         */
        get: operations["streamChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process is alive */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the node is ready for requests
         * @description While the disk of the database is full, changes are refused but validations still work; `for=validations` then returns 200.
         */
        get: operations["readiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/engines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieve the state of the database and of Redis
         * @description As seen by the node that responds. Addresses contain no credentials. Needs access to the whole account.
         *
         *     Required scope: `accounts:write`.
         */
        get: operations["getEngines"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Name and version
         * @description A browser is sent to the dashboard instead.
         */
        get: operations["product"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** AcceptInvitation */
        AcceptInvitation: {
            /** @description From the link. */
            token: string;
            name?: string;
            password?: string;
        };
        /** AccessKey */
        AccessKey: {
            /** @description Id of the access key: `ak_…`. */
            id: string;
            /** @description For people to read. */
            name: string;
            /**
             * @description The value of the access key. Shown in full only in the response that creates it, and masked in all others.
             * @example account_access_AbCdEf*********
             */
            key: string;
            /** @description Id of its account: `acc_…`. */
            accountId: string;
            projectId: string | null;
            /** @description The permissions of the access key. Defaults to `*`, which allows everything. */
            scopes: ("keys:validate" | "keys:read" | "keys:write" | "projects:read" | "projects:write" | "accounts:read" | "accounts:write" | "access-keys:read" | "access-keys:write" | "webhooks:read" | "webhooks:write" | "analytics:read" | "invitations:read" | "invitations:write" | "audit:read" | "*")[];
            isActive: boolean;
            expiresAt: string | null;
            rateLimitConfigs: components["schemas"]["RateLimitConfigs"] | null;
            lastUsedAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            updatedAt: string;
            rotatedFrom: string | null;
            rotatedTo: string | null;
        };
        /** AccessKeyCreated */
        AccessKeyCreated: {
            /** @description Id of the event; the same on every attempt: `evt_…`. */
            id: string;
            /** @constant */
            type: "access-key.created";
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            timestamp: string;
            /** @description Id of the account: `acc_…`. */
            accountId: string;
            projectId: string | null;
            data: components["schemas"]["AccessKey"];
        };
        /** AccessKeyDeleted */
        AccessKeyDeleted: {
            /** @description Id of the event; the same on every attempt: `evt_…`. */
            id: string;
            /** @constant */
            type: "access-key.deleted";
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            timestamp: string;
            /** @description Id of the account: `acc_…`. */
            accountId: string;
            projectId: string | null;
            data: components["schemas"]["AccessKey"];
        };
        /** AccessKeyUpdated */
        AccessKeyUpdated: {
            /** @description Id of the event; the same on every attempt: `evt_…`. */
            id: string;
            /** @constant */
            type: "access-key.updated";
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            timestamp: string;
            /** @description Id of the account: `acc_…`. */
            accountId: string;
            projectId: string | null;
            data: components["schemas"]["AccessKey"];
        };
        /** Account */
        Account: {
            /** @description Id of the account: `acc_…`. */
            id: string;
            /** @description For people to read. */
            name: string;
            isActive: boolean;
            /** @description Id of the person or access key, or `operator` for the CLI. */
            createdBy: string;
            createdByType: "USER" | "ACCESS_KEY";
            /** @description `api`, `dashboard`, `cli` or `setup`. */
            createdIn: string;
            lastChangedBy: string;
            lastChangedByType: "USER" | "ACCESS_KEY";
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            updatedAt: string;
        };
        /** AccountName */
        AccountName: {
            /** @description For people to read. */
            name: string;
        };
        /** AccountRole */
        AccountRole: {
            /** @description Id of the account: `acc_…`. */
            accountId: string;
            accountName: string;
            /** @description owner, admin, developer or viewer. */
            role: string;
            projectIds: string[] | null;
        };
        /** ApiKey */
        ApiKey: {
            /** @description Id of the key: `key_…`. */
            id: string;
            /** @description Id of its project: `prj_…`. */
            projectId: string;
            /**
             * @description The value of the key. Shown in full only in the response that creates it, and masked in all others.
             * @example live_AbCdEf*********
             */
            key: string;
            /** @description For people to read. */
            name: string;
            /**
             * @description Any JSON object, up to 16 KB and 32 levels deep.
             * @example {
             *       "plan": "pro"
             *     }
             */
            customMetaData: {
                [key: string]: unknown;
            };
            customAccountId: string | null;
            customUserId: string | null;
            /** @description The environment of the project. */
            env: "live" | "test";
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            updatedAt: string;
            isActive: boolean;
            expiresAt: string | null;
            rateLimitConfigs: components["schemas"]["RateLimitConfigs"] | null;
            /** @description The client that the key was created for, as sent when the key was created. For an imported key, the import. */
            creationContext: {
                clientIP?: string;
                clientUserAgent?: string;
                /** @description Id of the import that created the key: `imp_…`. */
                importId?: string;
            };
            allowedDomains: string[] | null;
            /** @description What the key may do. Segments of `A-Z a-z 0-9 _ -`, joined by `.` or `:`. `documents.*` grants everything that begins with `documents.`, and `*` grants everything. */
            permissions: string[];
            allowedIPs: string[] | null;
            startsAt: string | null;
            /**
             * @description Labels to filter keys by, of `a-z 0-9 . _ -`.
             * @example [
             *       "beta",
             *       "eu-west"
             *     ]
             */
            tags: string[];
            firstUsedAt: string | null;
            lastUsedAt: string | null;
            rotatedFrom: string | null;
            rotatedTo: string | null;
        };
        /** ApiKeyCount */
        ApiKeyCount: {
            count: number;
            /** @description `false` if there are more than 100,000 keys; counting stops there. */
            isExact: boolean;
        };
        /** ApiKeyCreated */
        ApiKeyCreated: {
            /** @description Id of the event; the same on every attempt: `evt_…`. */
            id: string;
            /** @constant */
            type: "api-key.created";
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            timestamp: string;
            /** @description Id of the account: `acc_…`. */
            accountId: string;
            projectId: string | null;
            data: components["schemas"]["ApiKey"];
        };
        /** ApiKeyDeleted */
        ApiKeyDeleted: {
            /** @description Id of the event; the same on every attempt: `evt_…`. */
            id: string;
            /** @constant */
            type: "api-key.deleted";
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            timestamp: string;
            /** @description Id of the account: `acc_…`. */
            accountId: string;
            projectId: string | null;
            data: components["schemas"]["ApiKey"];
        };
        /** ApiKeyFirstUsed */
        ApiKeyFirstUsed: {
            /** @description Id of the event; the same on every attempt: `evt_…`. */
            id: string;
            /** @constant */
            type: "api-key.firstUsed";
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            timestamp: string;
            /** @description Id of the account: `acc_…`. */
            accountId: string;
            projectId: string | null;
            data: components["schemas"]["ApiKey"];
        };
        /** ApiKeyTotals */
        ApiKeyTotals: {
            /** @description Id of the key: `key_…`. */
            id: string;
            /**
             * @description The value, masked.
             * @example live_AbCdEf*********
             */
            key: string;
            /** @description For people to read. */
            name: string;
            customAccountId: string | null;
            customUserId: string | null;
            env: "live" | "test";
            date: string | null;
            /** @description Validations with any outcome. */
            total: number;
            valid: number;
            rateLimited: number;
            /** @description All other refusals: revoked, expired, not started, without credits, or with a domain, address or permission that is not allowed. */
            denied: number;
            firstUsedAt: string | null;
            lastUsedAt: string | null;
        };
        /** ApiKeyUpdated */
        ApiKeyUpdated: {
            /** @description Id of the event; the same on every attempt: `evt_…`. */
            id: string;
            /** @constant */
            type: "api-key.updated";
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            timestamp: string;
            /** @description Id of the account: `acc_…`. */
            accountId: string;
            projectId: string | null;
            data: components["schemas"]["ApiKey"];
        };
        /** AuditLog */
        AuditLog: {
            /** @description Id of the row: `aud_…`. */
            id: string;
            /** @description Id of the account: `acc_…`. */
            accountId: string;
            projectId: string | null;
            /** @description `access-key`, `user`, `operator` (the command line on the machine of the server) or `system` (the service itself). */
            actorType: string;
            /** @description Id of the access key or user; otherwise the same as the type. */
            actorId: string;
            /** @example api-key.created */
            action: string;
            /** @example api-key */
            targetType: string;
            /** @description Id of the changed resource. */
            targetId: string;
            before: {
                [key: string]: unknown;
            } | null;
            after: {
                [key: string]: unknown;
            } | null;
            requestId: string | null;
            clientAddress: string | null;
            userAgent: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            createdAt: string;
            /** @description Whether the row is in the hash chain that `npx keyward audit verify` checks. */
            sealed: boolean;
        };
        /** AuthenticateOldForm */
        AuthenticateOldForm: {
            credentials: {
                api_key: string;
            };
            permissions?: components["schemas"]["RequiredPermissions"];
            /**
             * @description The IP address of your user, checked against `allowedIPs` of the key.
             * @example 203.0.113.7
             */
            clientIP?: string;
        };
        /** BatchResult */
        BatchResult: {
            valid: boolean;
            /** @description The status that a single validation would have. */
            statusCode: number;
            /** @description `valid`, or the error code. */
            code: string;
            /** @description With `permission_denied`: the required permissions that the key lacks. */
            missing?: string[];
            record?: components["schemas"]["ValidatedKey"];
            rateLimit?: components["schemas"]["RateLimitState"];
        };
        /** ChangePassword */
        ChangePassword: {
            currentPassword: string;
            /** @description 12 to 256 characters. Common passwords are rejected. */
            newPassword: string;
        };
        /** ConfirmIdentity */
        ConfirmIdentity: {
            password?: string;
            response?: {
                [key: string]: unknown;
            };
        };
        /** ConfirmPassword */
        ConfirmPassword: {
            password: string;
        };
        /** Confirmed */
        Confirmed: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            confirmedUntil: string;
        };
        /** CreateAccessKey */
        CreateAccessKey: {
            /** @description For people to read. */
            name: string;
            /** @description Id of the account (default: the account of the caller): `acc_…`. */
            accountId?: string;
            projectId?: string | null;
            /** @description The permissions of the access key. Defaults to `*`, which allows everything. */
            scopes?: ("keys:validate" | "keys:read" | "keys:write" | "projects:read" | "projects:write" | "accounts:read" | "accounts:write" | "access-keys:read" | "access-keys:write" | "webhooks:read" | "webhooks:write" | "analytics:read" | "invitations:read" | "invitations:write" | "audit:read" | "*")[];
            expiry?: string | null;
            rateLimitConfigs?: components["schemas"]["RateLimitConfigs"] | null;
            /** @description Requests permitted in a window. */
            rateLimit?: number;
            /** @description Length of the window in seconds; it opens at the first request. */
            rateLimitTtl?: number;
        };
        /** CreateApiKey */
        CreateApiKey: {
            /** @description For people to read. */
            name: string;
            /** @description Id of the project of the key: `prj_…`. */
            projectId?: string;
            /** @description Your own value for the key: 8 to 256 characters of `A-Z a-z 0-9 . _ ~ -`. */
            key?: string;
            /**
             * @description Any JSON object, up to 16 KB and 32 levels deep.
             * @example {
             *       "plan": "pro"
             *     }
             */
            customMetaData?: {
                [key: string]: unknown;
            };
            customAccountId?: string | null;
            customUserId?: string | null;
            expiry?: string | null;
            rateLimitConfigs?: components["schemas"]["RateLimitConfigs"] | null;
            allowedDomains?: string[] | null;
            permissions?: string[] | null;
            allowedIPs?: string[] | null;
            startsAt?: string | null;
            tags?: string[] | null;
            clientIP?: string;
            clientUserAgent?: string;
        };
        /** CreateInvitations */
        CreateInvitations: {
            /**
             * @description The addresses to invite. Duplicates are ignored.
             * @example [
             *       "ada@example.com",
             *       "grace@example.com"
             *     ]
             */
            emails: string[];
            /** @description The permissions of the person. From most to least: `owner`, `admin`, `developer`, `viewer`. */
            role: "owner" | "admin" | "developer" | "viewer";
            /** @description Id of the account (default: the account of the access key): `acc_…`. */
            accountId?: string;
            projectIds?: string[] | null;
        };
        /** CreateProject */
        CreateProject: {
            /** @description For people to read. */
            name: string;
            /** @description Id of the account (default: the account of the access key): `acc_…`. */
            accountId?: string;
            env?: "live" | "test";
            keyPrefix?: string | null;
        };
        /** CreateWebhook */
        CreateWebhook: {
            /** @description For people to read. */
            name: string;
            /**
             * @description An `https` URL with a public address. It must respond with 2xx within 15 s; redirects are not followed.
             * @example https://example.com/hooks/keyward
             */
            url: string;
            /**
             * @description The events to send: one or more of `GET /webhooks/topics`.
             * @example [
             *       "api-key.created",
             *       "api-key.deleted"
             *     ]
             */
            topics: ("api-key.created" | "api-key.deleted" | "api-key.updated" | "api-key.firstUsed" | "access-key.created" | "access-key.updated" | "access-key.deleted" | "project.updated")[];
            /** @description Id of the account; only the caller’s own: `acc_…`. */
            accountId?: string;
            projectId?: string | null;
            /**
             * @description The method of deliveries.
             * @enum {unknown}
             */
            httpMethod?: "POST" | "PUT";
            /**
             * @description A paused webhook sends nothing. Waiting deliveries are sent when it is live again; events that happen meanwhile can be replayed.
             * @enum {unknown}
             */
            status?: "live" | "paused";
            /**
             * @description Sent with every delivery, at most 20. Names that the service sets itself, like `host`, `content-*` and `webhook-*`, are rejected.
             * @example {
             *       "x-tenant": "acme"
             *     }
             */
            customHeaders?: {
                [key: string]: string;
            };
        };
        /** CreatedInvitation */
        CreatedInvitation: {
            /** @description Id of the invitation: `inv_…`. */
            id: string;
            /** @example ada@example.com */
            email: string;
            /** @description The permissions of the person. From most to least: `owner`, `admin`, `developer`, `viewer`. */
            role: "owner" | "admin" | "developer" | "viewer";
            /** @description Id of the account that the person is invited to: `acc_…`. */
            accountId: string;
            projectIds: string[] | null;
            /** @description Only a pending invitation can be changed or accepted. */
            status: "pending" | "accepted" | "cancelled" | "expired";
            /** @description Id of the person or access key that created the invitation. */
            invitedBy: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            expiresAt: string;
            acceptedBy: string | null;
            emailStatus: ("queued" | "sent" | "failed") | null;
            link: string | null;
        };
        /** Delivery */
        Delivery: {
            /** @description Id of the delivery: `dlv_…`. */
            id: string;
            /** @description Id of its webhook: `whk_…`. */
            webhookId: string;
            /** @description Id of its event, also sent as `webhook-id`: `evt_…`. */
            eventId: string;
            /**
             * @description The type of an event.
             * @enum {unknown}
             */
            topic: "api-key.created" | "api-key.deleted" | "api-key.updated" | "api-key.firstUsed" | "access-key.created" | "access-key.updated" | "access-key.deleted" | "project.updated";
            /** @description Id of the key, access key or project of the event. */
            resourceId: string;
            /** @description Its name at the time of the event. */
            resourceName: string;
            /**
             * @description `pending`: sent when it is due. `held`: waits until its project is active and its webhook live. `failed`: every attempt failed. `cancelled`: will not be sent.
             * @enum {unknown}
             */
            status: "pending" | "held" | "delivered" | "failed" | "cancelled";
            /** @description Number of attempts. A retry starts again at 0. */
            attempts: number;
            lastStatusCode: number | null;
            lastError: string | null;
            dueAt: string | null;
            replayId: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            updatedAt: string;
            /** @description Newest first, at most 10. */
            recentAttempts: components["schemas"]["DeliveryAttempt"][];
        };
        /** DeliveryAttempt */
        DeliveryAttempt: {
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            startedAt: string;
            durationMs: number;
            statusCode: number | null;
            error: string | null;
            responseBody: string | null;
        };
        /** DeliveryWithPayload */
        DeliveryWithPayload: {
            /** @description Id of the delivery: `dlv_…`. */
            id: string;
            /** @description Id of its webhook: `whk_…`. */
            webhookId: string;
            /** @description Id of its event, also sent as `webhook-id`: `evt_…`. */
            eventId: string;
            /**
             * @description The type of an event.
             * @enum {unknown}
             */
            topic: "api-key.created" | "api-key.deleted" | "api-key.updated" | "api-key.firstUsed" | "access-key.created" | "access-key.updated" | "access-key.deleted" | "project.updated";
            /** @description Id of the key, access key or project of the event. */
            resourceId: string;
            /** @description Its name at the time of the event. */
            resourceName: string;
            /**
             * @description `pending`: sent when it is due. `held`: waits until its project is active and its webhook live. `failed`: every attempt failed. `cancelled`: will not be sent.
             * @enum {unknown}
             */
            status: "pending" | "held" | "delivered" | "failed" | "cancelled";
            /** @description Number of attempts. A retry starts again at 0. */
            attempts: number;
            lastStatusCode: number | null;
            lastError: string | null;
            dueAt: string | null;
            replayId: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            updatedAt: string;
            /** @description Newest first, at most 10. */
            recentAttempts: components["schemas"]["DeliveryAttempt"][];
            /** @description The payload, with key values masked. */
            payload: {
                /** @description Id of the event; the same on every attempt: `evt_…`. */
                id: string;
                /**
                 * @description The type of an event.
                 * @enum {unknown}
                 */
                type: "api-key.created" | "api-key.deleted" | "api-key.updated" | "api-key.firstUsed" | "access-key.created" | "access-key.updated" | "access-key.deleted" | "project.updated";
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC.
                 */
                timestamp: string;
                /** @description Id of the account: `acc_…`. */
                accountId: string;
                projectId: string | null;
                data: {
                    [key: string]: unknown;
                };
            };
        };
        /** EngineState */
        EngineState: {
            database: {
                /** @enum {unknown} */
                engine: "sqlite" | "postgres";
                connection: {
                    /** @description Host and port of the primary */
                    address: string;
                    isConnected: boolean;
                    /**
                     * Format: date-time
                     * @description ISO 8601, UTC.
                     */
                    since: string;
                    /** @description How often it was lost and reached again */
                    reconnects: number;
                    /** @description How often the node followed a failover */
                    failovers: number;
                } | null;
            };
            rateLimits: {
                /**
                 * @description `shared`: across all nodes. `per-node`: each node enforces its share.
                 * @enum {unknown}
                 */
                counted: "shared" | "per-node";
                redis: {
                    /** @enum {unknown} */
                    mode: "server" | "sentinel" | "cluster";
                    /** @description The configured hosts */
                    addresses: string[];
                    /** @description false: at least one server does not reply, and its limits are counted per node */
                    isConnected: boolean;
                    /**
                     * Format: date-time
                     * @description ISO 8601, UTC.
                     */
                    since: string;
                    /** @description How often it was lost and reached again */
                    reconnects: number;
                    /** @description How often the node followed a failover */
                    failovers: number;
                } | null;
            };
            changes: {
                /** @description Running nodes, this one included */
                nodes: number;
                isConnected: boolean;
                /** @description Changes made longer ago than this have been received */
                behindMs: number;
            } | null;
        };
        /** Error */
        Error: {
            statusCode: number;
            /** @description A message for people. Names the invalid field, if any. */
            message: string;
            /** @description The name of the HTTP status. */
            error: string;
            /**
             * @description A stable error code, documented on its own page.
             * @enum {string}
             */
            code: "invalid_body" | "invalid_json" | "invalid_query" | "invalid_path" | "invalid_header" | "invalid_request" | "invalid_cursor" | "invalid_key_value" | "project_required" | "account_required" | "password_weak" | "credential_missing" | "credential_invalid" | "credential_revoked" | "credential_expired" | "key_missing" | "session_invalid" | "sign_in_failed" | "second_factor_failed" | "second_factor_expired" | "passkey_failed" | "scope_missing" | "level_too_low" | "grant_exceeds_own" | "domain_denied" | "ip_denied" | "permission_denied" | "people_only" | "operator_only" | "origin_denied" | "confirmation_required" | "password_wrong" | "route_not_found" | "key_not_found" | "key_malformed" | "key_revoked" | "key_expired" | "key_not_started" | "key_project_inactive" | "access_key_not_found" | "project_not_found" | "account_not_found" | "invitation_not_found" | "user_not_found" | "session_not_found" | "passkey_not_found" | "provider_not_found" | "link_invalid" | "webhook_not_found" | "delivery_not_found" | "replay_not_found" | "method_not_allowed" | "request_timeout" | "key_exists" | "access_key_exists" | "project_inactive" | "key_inactive" | "invitation_closed" | "already_member" | "person_exists" | "last_owner" | "role_account_wide" | "two_factor_on" | "two_factor_off" | "mail_unavailable" | "webhook_not_live" | "delivery_cancelled" | "secret_rotating" | "replay_running" | "idempotency_in_flight" | "edit_conflict" | "batch_too_large" | "body_too_large" | "unsupported_media_type" | "idempotency_mismatch" | "rate_limited" | "management_rate_limited" | "sign_in_throttled" | "too_many_pings" | "too_many_reporters" | "too_many_streams" | "headers_too_large" | "internal_error" | "overloaded" | "starting_up" | "shutting_down" | "node_isolated" | "keyward_unavailable" | "storage_full" | "storage_unavailable";
            /**
             * Format: uri
             * @description The URL of the page about this code.
             */
            docs: string;
            /** @description The id of the request in the server log. Validations are logged at level `debug` only. */
            requestId: string;
        };
        /** ExplainKey */
        ExplainKey: {
            permissions?: components["schemas"]["RequiredPermissions"];
            /**
             * @description The IP address of your user, checked against `allowedIPs` of the key.
             * @example 203.0.113.7
             */
            clientIP?: string;
            /** @description As the header `x-origin-domain` of a validation. */
            originDomain?: string;
        };
        /** Explanation */
        Explanation: {
            /** @description Whether the key would pass all checks. Its rate limit is not checked. */
            valid: boolean;
            /** @description `valid`, or the error code of the check that fails. */
            code: string;
            /** @description The required permissions that the key lacks. */
            missing: string[];
            /** @description In the order in which a validation makes them. */
            checks: {
                /** @example not expired */
                check: string;
                /** @description The error code if this check fails. */
                code: string;
                /** @description Null: not made, because an earlier check failed. */
                passed: boolean | null;
            }[];
        };
        /** ForgottenPassword */
        ForgottenPassword: {
            /** @example ada@example.com */
            email: string;
        };
        /** ImportAnswer */
        ImportAnswer: {
            /** @description Id of the account of the keys: `acc_…`. */
            accountId: string;
            /** @description Id of the import, as in the audit log: `imp_…`. */
            importId: string;
            /** @description One result per row, in the order of `keys`. */
            results: components["schemas"]["ImportedRow"][];
        };
        /** ImportApiKey */
        ImportApiKey: {
            /** @description For people to read. */
            name: string;
            /** @description Your own value for the key: 8 to 256 characters of `A-Z a-z 0-9 . _ ~ -`. */
            key?: string;
            /** @description The SHA-256 of the value in hex, base64 or base64url, if the value itself is not known. Send either this or `key`. */
            keyHash?: string;
            /**
             * @description With `keyHash`: the beginning of the value, for the masked display.
             * @example sk_live_4x
             */
            prefix?: string;
            /** @description Id of the project of the key: `prj_…`. */
            projectId?: string;
            customMetaData?: {
                [key: string]: unknown;
            } | null;
            customAccountId?: string | null;
            customUserId?: string | null;
            expiry?: string | null;
            expiresAt?: string | null;
            rateLimitConfigs?: components["schemas"]["RateLimitConfigs"] | null;
            allowedDomains?: string[] | null;
            permissions?: string[] | null;
            allowedIPs?: string[] | null;
            startsAt?: string | null;
            tags?: string[] | null;
            /** @description If `false`, the key is imported as revoked. */
            isActive?: boolean;
            /** @description When the key was originally created, in one of the formats of `expiry`. */
            createdAt?: string;
        };
        /** ImportApiKeys */
        ImportApiKeys: {
            keys: components["schemas"]["ImportApiKey"][];
            /** @description Id of the project for rows without a `projectId`: `prj_…`. */
            projectId?: string;
            /** @description Id of the import that this request continues (from the response to its first request): `imp_…`. */
            importId?: string;
            /** @description Check all rows without importing them. */
            dryRun?: boolean;
            /** @description Whether to emit `api-key.created` for each key. Defaults to `false`. */
            events?: boolean;
        };
        /** ImportedRow */
        ImportedRow: {
            /** @description Position of the row in `keys`, from 0. */
            index: number;
            /** @description `importable`: the row would be imported without `dryRun`. `exists`: the project already has a key with this value, which is not changed. */
            status: "imported" | "importable" | "exists" | "refused";
            /** @description Id of the imported or existing key: `key_…`. */
            id?: string;
            /** @description For a refused row: the error code. */
            code?: string;
            /** @description For a refused row: the error message for people. */
            message?: string;
        };
        /** InnerPermissions */
        InnerPermissions: {
            all: (string | components["schemas"]["InnermostPermissions"])[];
        } | {
            any: (string | components["schemas"]["InnermostPermissions"])[];
        };
        /** InnermostPermissions */
        InnermostPermissions: {
            all: string[];
        } | {
            any: string[];
        };
        /** Invitation */
        Invitation: {
            /** @description Id of the invitation: `inv_…`. */
            id: string;
            /** @example ada@example.com */
            email: string;
            /** @description The permissions of the person. From most to least: `owner`, `admin`, `developer`, `viewer`. */
            role: "owner" | "admin" | "developer" | "viewer";
            /** @description Id of the account that the person is invited to: `acc_…`. */
            accountId: string;
            projectIds: string[] | null;
            /** @description Only a pending invitation can be changed or accepted. */
            status: "pending" | "accepted" | "cancelled" | "expired";
            /** @description Id of the person or access key that created the invitation. */
            invitedBy: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            expiresAt: string;
            acceptedBy: string | null;
            emailStatus: ("queued" | "sent" | "failed") | null;
        };
        /** InvitationInfo */
        InvitationInfo: {
            accountName: string;
            /** @description Name of the person or access key that created the invitation. */
            inviter: string;
            /** @description The permissions of the person. From most to least: `owner`, `admin`, `developer`, `viewer`. */
            role: "owner" | "admin" | "developer" | "viewer";
            /** @description Only a pending invitation can be changed or accepted. */
            status: "pending" | "accepted" | "cancelled" | "expired";
        };
        /** KeyInBatch */
        KeyInBatch: {
            /** @description The value to validate. */
            key: string;
            permissions?: components["schemas"]["RequiredPermissions"];
        };
        /** Lease */
        Lease: {
            /** @description Identifies the lease when unused requests are returned. */
            id: string;
            granted: number;
            /** @description The window, and the lease with it, ends after this time. */
            resetInMs: number;
        };
        /** LeasedKey */
        LeasedKey: {
            record: components["schemas"]["ValidatedKey"];
            /** @description The response reflects every change made longer ago than this. */
            behindMs: number;
            expiresInMs: number | null;
            lease: components["schemas"]["Lease"] | null;
            /** @description Only if the key is restricted to some addresses. */
            allowedIPs?: string[];
        };
        /** Me */
        Me: {
            /** @description Id of the person: `usr_…`. */
            id: string;
            name: string;
            email: string;
            emailVerified: boolean;
            twoFactorEnabled: boolean;
            hasPassword: boolean;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            createdAt: string;
            /** @description Id of this session: `ses_…`. */
            sessionId: string;
            accounts: components["schemas"]["AccountRole"][];
        };
        /** NewPasskey */
        NewPasskey: {
            name: string;
            response: {
                [key: string]: unknown;
            };
        };
        /** NewTwoFactor */
        NewTwoFactor: {
            /** @description `otpauth://…`, for the QR code. */
            totpUri: string;
            /** @description Shown only once. Each code works once. */
            recoveryCodes: string[];
        };
        /** OneTimeLink */
        OneTimeLink: {
            /** @description Shown only once. Works only once. */
            link: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            expiresAt: string;
        };
        /** OuterPermissions */
        OuterPermissions: {
            all: (string | components["schemas"]["InnerPermissions"])[];
        } | {
            any: (string | components["schemas"]["InnerPermissions"])[];
        };
        /** Passkey */
        Passkey: {
            /** @description Id of the passkey: `psk_…`. */
            id: string;
            name: string | null;
            createdAt: string | null;
        };
        /** PingResult */
        PingResult: {
            /** @description Whether a 2xx response arrived in time. */
            success: boolean;
            statusCode: number | null;
            durationMs: number;
            /** @description The start of the response body. */
            responseBody: string;
            error: string | null;
        };
        /** PingWebhook */
        PingWebhook: {
            /**
             * @description An `https` URL with a public address. It must respond with 2xx within 15 s; redirects are not followed.
             * @example https://example.com/hooks/keyward
             */
            url: string;
            /**
             * @description The method of deliveries.
             * @enum {unknown}
             */
            httpMethod?: "POST" | "PUT";
            /** @description The JSON body to send. Default: a small test message. */
            body?: unknown;
            /**
             * @description Sent with every delivery, at most 20. Names that the service sets itself, like `host`, `content-*` and `webhook-*`, are rejected.
             * @example {
             *       "x-tenant": "acme"
             *     }
             */
            customHeaders?: {
                [key: string]: string;
            };
            /**
             * @description Sent with every delivery, at most 20. Names that the service sets itself, like `host`, `content-*` and `webhook-*`, are rejected.
             * @example {
             *       "x-tenant": "acme"
             *     }
             */
            headers?: {
                [key: string]: string;
            };
            /** @description Id of a webhook with this `url`, whose header values replace masked ones: `whk_…`. */
            webhookId?: string;
        };
        /** Product */
        Product: {
            name: string;
            version: string;
        };
        /** Project */
        Project: {
            /** @description Id of the project: `prj_…`. */
            id: string;
            /** @description For people to read. */
            name: string;
            /** @description Id of its account: `acc_…`. */
            accountId: string;
            env: "live" | "test";
            keyPrefix: string | null;
            isActive: boolean;
            /** @description Id of the person or access key, or `operator` for the CLI. */
            createdBy: string;
            createdByType: "USER" | "ACCESS_KEY";
            /** @description `api`, `dashboard`, `cli` or `setup`. */
            createdIn: string;
            lastChangedBy: string;
            lastChangedByType: "USER" | "ACCESS_KEY";
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            updatedAt: string;
        };
        /** ProjectTotals */
        ProjectTotals: {
            /** @description Id of the project: `prj_…`. */
            id: string;
            /** @description For people to read. */
            name: string;
            env: "live" | "test";
            date: string | null;
            /** @description Validations with any outcome. */
            total: number;
            valid: number;
            rateLimited: number;
            /** @description All other refusals: revoked, expired, not started, without credits, or with a domain, address or permission that is not allowed. */
            denied: number;
            firstUsedAt: string | null;
            lastUsedAt: string | null;
        };
        /** ProjectUpdated */
        ProjectUpdated: {
            /** @description Id of the event; the same on every attempt: `evt_…`. */
            id: string;
            /** @constant */
            type: "project.updated";
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            timestamp: string;
            /** @description Id of the account: `acc_…`. */
            accountId: string;
            projectId: string | null;
            data: components["schemas"]["Project"];
        };
        /** ProviderAddress */
        ProviderAddress: {
            url: string;
        };
        /** ProviderChoice */
        ProviderChoice: {
            /** @description From `/auth/methods`. */
            provider: string;
        };
        /**
         * RateLimitConfigs
         * @example {
         *       "rateLimit": 10,
         *       "rateLimitTtl": 60
         *     }
         */
        RateLimitConfigs: {
            /** @description Requests permitted in a window. */
            rateLimit: number;
            /** @description Length of the window in seconds; it opens at the first request. */
            rateLimitTtl: number;
        };
        /** RateLimitState */
        RateLimitState: {
            limit: number;
            remaining: number;
            consumed: number;
            /** @description UTC epoch seconds. */
            reset: number;
            retryAfterSeconds: number;
        };
        /** Ready */
        Ready: {
            status: string;
            /** @description The connection to PostgreSQL; not with SQLite */
            database?: {
                /**
                 * Format: date-time
                 * @description ISO 8601, UTC.
                 */
                connectedSince: string;
                /** @description How often this node lost PostgreSQL and reached it again, since it started */
                reconnects: number;
                /** @description How often it followed a failover to another server */
                failovers: number;
            };
            /**
             * @description With Redis only. `per-node`: Redis cannot be reached, and this node enforces its share of each limit.
             * @enum {unknown}
             */
            rateLimits?: "shared" | "per-node";
        };
        /** RecoveryCode */
        RecoveryCode: {
            code: string;
        };
        /** RecoveryCodes */
        RecoveryCodes: {
            recoveryCodes: string[];
        };
        /** RenamePasskey */
        RenamePasskey: {
            name: string;
        };
        /**
         * RequiredPermissions
         * @description What the key must be permitted to do: a permission, a list of which all are required, or `{"all": […]}` or `{"any": […]}`. Groups can be nested twice; at most 32 names together.
         * @example documents.read
         * @example {
         *       "any": [
         *         "documents.read",
         *         "documents.write"
         *       ]
         *     }
         */
        RequiredPermissions: string | (string | components["schemas"]["InnerPermissions"])[] | components["schemas"]["OuterPermissions"];
        /** ResendInvitation */
        ResendInvitation: {
            /** @description `mail` sends the link by e-mail. `link` returns it, so that you can pass it on. Defaults to `mail` if a mail server is configured. */
            by?: "mail" | "link";
        };
        /** ResetPassword */
        ResetPassword: {
            /** @description From the link. */
            token: string;
            /** @description 12 to 256 characters. Common passwords are rejected. */
            password: string;
        };
        /** ReturnLeases */
        ReturnLeases: {
            leases: {
                /** @description Id of the key: `key_…`. */
                keyId: string;
                /** @description Id of the lease: `lse_…`. */
                leaseId: string;
                unused: number;
            }[];
        };
        /** ReturnedLeases */
        ReturnedLeases: {
            /** @description Requests that are available again. */
            returned: number;
        };
        /** RotateKey */
        RotateKey: {
            /** @description How long the old value goes on working. 0, the default: not at all. */
            graceSeconds?: number;
        };
        /** Session */
        Session: {
            /** @description Id of the session: `ses_…`. */
            id: string;
            isCurrent: boolean;
            clientAddress: string | null;
            userAgent: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            expiresAt: string;
        };
        /** Setup */
        Setup: {
            /** @description From the link. */
            token: string;
            name?: string;
            /** @example ada@example.com */
            email?: string;
            /** @description 12 to 256 characters. Common passwords are rejected. */
            password?: string;
        };
        /** SetupInfo */
        SetupInfo: {
            accountName: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            expiresAt: string;
        };
        /** SetupToken */
        SetupToken: {
            /** @description From the link. */
            token: string;
        };
        /** SignInMethods */
        SignInMethods: {
            password: boolean;
            /** @description Whether passkeys can be used. They require a host name; an IP address is not enough. */
            passkey: boolean;
            providers: {
                id: string;
                name: string;
            }[];
            /** @description Whether a forgotten password can be reset by mail. */
            resetByMail: boolean;
            /** @description True until the first owner has used the setup link from the server output. */
            needsSetup: boolean;
        };
        /** SignInPasskey */
        SignInPasskey: {
            response: {
                [key: string]: unknown;
            };
        };
        /** SignInPassword */
        SignInPassword: {
            /** @example ada@example.com */
            email: string;
            password: string;
            /** @description If `false`, the session ends when the browser is closed, or after one day. */
            rememberMe?: boolean;
        };
        /** SignInResult */
        SignInResult: {
            /** @description If a second factor is required, the session starts after it. */
            status: "signed-in" | "second-factor-required";
        };
        /** StartReplay */
        StartReplay: {
            /**
             * @description Start of the range: an ISO 8601 date-time, or a date; UTC unless it has an offset.
             * @example 2030-01-01T00:00:00.000Z
             */
            since: string;
            /**
             * @description End of the range, by default now: an ISO 8601 date-time, or a date; UTC unless it has an offset.
             * @example 2030-01-01T00:00:00.000Z
             */
            until?: string;
        };
        /** Status */
        Status: {
            status: string;
        };
        /** Teammate */
        Teammate: {
            /** @description Id of the person: `usr_…`. */
            id: string;
            name: string;
            email: string;
            /** @description Id of the account: `acc_…`. */
            accountId: string;
            /** @description The permissions of the person. From most to least: `owner`, `admin`, `developer`, `viewer`. */
            role: "owner" | "admin" | "developer" | "viewer";
            projectIds: string[] | null;
            twoFactorEnabled: boolean;
            lastSignedInAt: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            updatedAt: string;
        };
        /** TotpCode */
        TotpCode: {
            code: string;
        };
        /** UpdateAccessKey */
        UpdateAccessKey: {
            /** @description For people to read. */
            name?: string;
            /** @description The permissions of the access key. Defaults to `*`, which allows everything. */
            scopes?: ("keys:validate" | "keys:read" | "keys:write" | "projects:read" | "projects:write" | "accounts:read" | "accounts:write" | "access-keys:read" | "access-keys:write" | "webhooks:read" | "webhooks:write" | "analytics:read" | "invitations:read" | "invitations:write" | "audit:read" | "*")[];
            expiry?: string | null;
            rateLimitConfigs?: components["schemas"]["RateLimitConfigs"] | null;
        };
        /** UpdateApiKey */
        UpdateApiKey: {
            /** @description For people to read. */
            name: string;
            /** @description Your own value for the key: 8 to 256 characters of `A-Z a-z 0-9 . _ ~ -`. */
            key?: string;
            /**
             * @description Any JSON object, up to 16 KB and 32 levels deep.
             * @example {
             *       "plan": "pro"
             *     }
             */
            customMetaData?: {
                [key: string]: unknown;
            };
            customAccountId?: string | null;
            customUserId?: string | null;
            expiry?: string | null;
            rateLimitConfigs?: components["schemas"]["RateLimitConfigs"] | null;
            allowedDomains?: string[] | null;
            permissions?: string[] | null;
            allowedIPs?: string[] | null;
            startsAt?: string | null;
            tags?: string[] | null;
        };
        /** UpdateInvitation */
        UpdateInvitation: {
            /** @description The permissions of the person. From most to least: `owner`, `admin`, `developer`, `viewer`. */
            role: "owner" | "admin" | "developer" | "viewer";
        };
        /** UpdateMe */
        UpdateMe: {
            name: string;
        };
        /** UpdateProject */
        UpdateProject: {
            /** @description For people to read. */
            name?: string;
            keyPrefix?: string | null;
        };
        /** UpdateUserRole */
        UpdateUserRole: {
            /** @description The permissions of the person. From most to least: `owner`, `admin`, `developer`, `viewer`. */
            role: "owner" | "admin" | "developer" | "viewer";
            projectIds?: string[] | null;
            /** @description Id of the account (default: the account of the credential): `acc_…`. */
            accountId?: string;
        };
        /** UpdateWebhook */
        UpdateWebhook: {
            /** @description For people to read. */
            name?: string;
            /**
             * @description An `https` URL with a public address. It must respond with 2xx within 15 s; redirects are not followed.
             * @example https://example.com/hooks/keyward
             */
            url?: string;
            /**
             * @description The events to send: one or more of `GET /webhooks/topics`.
             * @example [
             *       "api-key.created",
             *       "api-key.deleted"
             *     ]
             */
            topics?: ("api-key.created" | "api-key.deleted" | "api-key.updated" | "api-key.firstUsed" | "access-key.created" | "access-key.updated" | "access-key.deleted" | "project.updated")[];
            projectId?: string | null;
            /**
             * @description The method of deliveries.
             * @enum {unknown}
             */
            httpMethod?: "POST" | "PUT";
            /**
             * @description A paused webhook sends nothing. Waiting deliveries are sent when it is live again; events that happen meanwhile can be replayed.
             * @enum {unknown}
             */
            status?: "live" | "paused";
            /**
             * @description Sent with every delivery, at most 20. Names that the service sets itself, like `host`, `content-*` and `webhook-*`, are rejected.
             * @example {
             *       "x-tenant": "acme"
             *     }
             */
            customHeaders?: {
                [key: string]: string;
            };
            /**
             * @description Makes the caller the author of all settings (`setBy`) without changing them.
             * @constant
             */
            takeOver?: true;
        };
        /** UsageReceived */
        UsageReceived: {
            /** @constant */
            received: true;
        };
        /** UsageReport */
        UsageReport: {
            /** @description A random id, the same for all reports of one process. */
            reporter: string;
            /** @description Increases with each report. A report with a number that was already received is ignored. */
            number: number;
            /** @description How long ago the uses were counted. */
            agoMs: number;
            counts: {
                /** @description Id of the key: `key_…`. */
                keyId: string;
                outcome: "valid" | "rate_limited" | "revoked" | "expired" | "domain_denied" | "not_started" | "ip_denied" | "permission_denied" | "credits_exhausted";
                count: number;
            }[];
        };
        /** UsageRow */
        UsageRow: {
            group: string | null;
            name: string | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            date: string;
            total: number;
            valid: number;
            rateLimited: number;
            revoked: number;
            expired: number;
            domainDenied: number;
            /** @description Only by access key and by outcome. */
            unknown: number;
            /** @description Only by access key and by outcome. */
            malformed: number;
            notStarted: number;
            ipDenied: number;
            permissionDenied: number;
            creditsExhausted: number;
        };
        /** UserRole */
        UserRole: {
            /** @description Id of the person: `usr_…`. */
            userId: string;
            /** @description Id of the account: `acc_…`. */
            accountId: string;
            /** @description The permissions of the person. From most to least: `owner`, `admin`, `developer`, `viewer`. */
            role: "owner" | "admin" | "developer" | "viewer";
            projectIds: string[] | null;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            updatedAt: string;
        };
        /** ValidateKeys */
        ValidateKeys: {
            /** @description The value to validate. */
            key?: string;
            /** @description Values, or objects with a value and requirements for this key alone. */
            keys?: (string | components["schemas"]["KeyInBatch"])[];
            permissions?: components["schemas"]["RequiredPermissions"];
            /**
             * @description The IP address of your user, checked against `allowedIPs` of the key.
             * @example 203.0.113.7
             */
            clientIP?: string;
            /** @description With `key`: lease the key, to validate it in your own process and report its uses with `POST /usage`. If the key has a rate limit, up to this many requests are taken from its window. */
            lease?: number;
            /** @description With `lease`: your process checks permissions and addresses itself. Without it, the response for a key that has any is that of a request without `lease`, and nothing is counted. */
            policies?: boolean;
        };
        /** ValidatedKey */
        ValidatedKey: {
            /** @description Id of the key: `key_…`. */
            id: string;
            /** @description Id of its project: `prj_…`. */
            projectId: string;
            /**
             * @description The value of the key. Shown in full only in the response that creates it, and masked in all others.
             * @example live_AbCdEf*********
             */
            key: string;
            /** @description For people to read. */
            name: string;
            /**
             * @description Any JSON object, up to 16 KB and 32 levels deep.
             * @example {
             *       "plan": "pro"
             *     }
             */
            customMetaData: {
                [key: string]: unknown;
            };
            customAccountId: string | null;
            customUserId: string | null;
            /** @description The environment of the project. */
            env: "live" | "test";
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            updatedAt: string;
            isActive: boolean;
            expiresAt: string | null;
            rateLimitConfigs: components["schemas"]["RateLimitConfigs"] | null;
            /** @description The client that the key was created for, as sent when the key was created. For an imported key, the import. */
            creationContext: {
                clientIP?: string;
                clientUserAgent?: string;
                /** @description Id of the import that created the key: `imp_…`. */
                importId?: string;
            };
            allowedDomains: string[] | null;
            /** @description Only if the key has any. */
            permissions?: string[];
        };
        /** Webhook */
        Webhook: {
            /** @description Id of the webhook: `whk_…`. */
            id: string;
            /** @description Id of its account: `acc_…`. */
            accountId: string;
            projectId: string | null;
            /** @description For people to read. */
            name: string;
            /**
             * @description An `https` URL with a public address. It must respond with 2xx within 15 s; redirects are not followed.
             * @example https://example.com/hooks/keyward
             */
            url: string;
            /**
             * @description The events to send: one or more of `GET /webhooks/topics`.
             * @example [
             *       "api-key.created",
             *       "api-key.deleted"
             *     ]
             */
            topics: ("api-key.created" | "api-key.deleted" | "api-key.updated" | "api-key.firstUsed" | "access-key.created" | "access-key.updated" | "access-key.deleted" | "project.updated")[];
            /**
             * @description The method of deliveries.
             * @enum {unknown}
             */
            httpMethod: "POST" | "PUT";
            /**
             * @description `disabled`: by the service, after five days of failures. Set it to `live` to resume.
             * @enum {unknown}
             */
            status: "live" | "paused" | "disabled";
            disabledReason: string | null;
            /**
             * @description Values are masked: at most their first 4 characters, then `*********`. A masked value that is sent back in an update keeps the stored one.
             * @example {
             *       "authorization": "Bear*********"
             *     }
             */
            customHeaders: {
                [key: string]: string;
            };
            setBy: components["schemas"]["WebhookSetBy"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            updatedAt: string;
        };
        /** WebhookReplay */
        WebhookReplay: {
            /** @description Id of the replay: `rpl_…`. */
            id: string;
            /** @description Id of its webhook: `whk_…`. */
            webhookId: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            since: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            until: string;
            /**
             * @description `done`: every event is queued; `cancelled`: the webhook was deleted.
             * @enum {unknown}
             */
            status: "running" | "done" | "cancelled";
            /** @description Events to queue. */
            total: number;
            /** @description Events queued so far. */
            queued: number;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            updatedAt: string;
        };
        /**
         * WebhookSetBy
         * @description Who last changed each of these settings. `api-key.created` and `access-key.created` carry the key value only if all of them could create that key at that moment; otherwise the mask.
         */
        WebhookSetBy: {
            url: string | null;
            httpMethod: string | null;
            customHeaders: string | null;
            topics: string | null;
            projectId: string | null;
        };
        /** WebhookWithSecret */
        WebhookWithSecret: {
            /** @description Id of the webhook: `whk_…`. */
            id: string;
            /** @description Id of its account: `acc_…`. */
            accountId: string;
            projectId: string | null;
            /** @description For people to read. */
            name: string;
            /**
             * @description An `https` URL with a public address. It must respond with 2xx within 15 s; redirects are not followed.
             * @example https://example.com/hooks/keyward
             */
            url: string;
            /**
             * @description The events to send: one or more of `GET /webhooks/topics`.
             * @example [
             *       "api-key.created",
             *       "api-key.deleted"
             *     ]
             */
            topics: ("api-key.created" | "api-key.deleted" | "api-key.updated" | "api-key.firstUsed" | "access-key.created" | "access-key.updated" | "access-key.deleted" | "project.updated")[];
            /**
             * @description The method of deliveries.
             * @enum {unknown}
             */
            httpMethod: "POST" | "PUT";
            /**
             * @description `disabled`: by the service, after five days of failures. Set it to `live` to resume.
             * @enum {unknown}
             */
            status: "live" | "paused" | "disabled";
            disabledReason: string | null;
            /**
             * @description Values are masked: at most their first 4 characters, then `*********`. A masked value that is sent back in an update keeps the stored one.
             * @example {
             *       "authorization": "Bear*********"
             *     }
             */
            customHeaders: {
                [key: string]: string;
            };
            setBy: components["schemas"]["WebhookSetBy"];
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description ISO 8601, UTC.
             */
            updatedAt: string;
            /**
             * @description Signs the deliveries as specified by Standard Webhooks. Shown only in this response.
             * @example whsec_…
             */
            secret: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type AcceptInvitation = components['schemas']['AcceptInvitation'];
export type AccessKey = components['schemas']['AccessKey'];
export type AccessKeyCreated = components['schemas']['AccessKeyCreated'];
export type AccessKeyDeleted = components['schemas']['AccessKeyDeleted'];
export type AccessKeyUpdated = components['schemas']['AccessKeyUpdated'];
export type Account = components['schemas']['Account'];
export type AccountName = components['schemas']['AccountName'];
export type AccountRole = components['schemas']['AccountRole'];
export type ApiKey = components['schemas']['ApiKey'];
export type ApiKeyCount = components['schemas']['ApiKeyCount'];
export type ApiKeyCreated = components['schemas']['ApiKeyCreated'];
export type ApiKeyDeleted = components['schemas']['ApiKeyDeleted'];
export type ApiKeyFirstUsed = components['schemas']['ApiKeyFirstUsed'];
export type ApiKeyTotals = components['schemas']['ApiKeyTotals'];
export type ApiKeyUpdated = components['schemas']['ApiKeyUpdated'];
export type AuditLog = components['schemas']['AuditLog'];
export type AuthenticateOldForm = components['schemas']['AuthenticateOldForm'];
export type BatchResult = components['schemas']['BatchResult'];
export type ChangePassword = components['schemas']['ChangePassword'];
export type ConfirmIdentity = components['schemas']['ConfirmIdentity'];
export type ConfirmPassword = components['schemas']['ConfirmPassword'];
export type Confirmed = components['schemas']['Confirmed'];
export type CreateAccessKey = components['schemas']['CreateAccessKey'];
export type CreateApiKey = components['schemas']['CreateApiKey'];
export type CreateInvitations = components['schemas']['CreateInvitations'];
export type CreateProject = components['schemas']['CreateProject'];
export type CreateWebhook = components['schemas']['CreateWebhook'];
export type CreatedInvitation = components['schemas']['CreatedInvitation'];
export type Delivery = components['schemas']['Delivery'];
export type DeliveryAttempt = components['schemas']['DeliveryAttempt'];
export type DeliveryWithPayload = components['schemas']['DeliveryWithPayload'];
export type EngineState = components['schemas']['EngineState'];
export type ErrorBody = components['schemas']['Error'];
export type ExplainKey = components['schemas']['ExplainKey'];
export type Explanation = components['schemas']['Explanation'];
export type ForgottenPassword = components['schemas']['ForgottenPassword'];
export type ImportAnswer = components['schemas']['ImportAnswer'];
export type ImportApiKey = components['schemas']['ImportApiKey'];
export type ImportApiKeys = components['schemas']['ImportApiKeys'];
export type ImportedRow = components['schemas']['ImportedRow'];
export type InnerPermissions = components['schemas']['InnerPermissions'];
export type InnermostPermissions = components['schemas']['InnermostPermissions'];
export type Invitation = components['schemas']['Invitation'];
export type InvitationInfo = components['schemas']['InvitationInfo'];
export type KeyInBatch = components['schemas']['KeyInBatch'];
export type Lease = components['schemas']['Lease'];
export type LeasedKey = components['schemas']['LeasedKey'];
export type Me = components['schemas']['Me'];
export type NewPasskey = components['schemas']['NewPasskey'];
export type NewTwoFactor = components['schemas']['NewTwoFactor'];
export type OneTimeLink = components['schemas']['OneTimeLink'];
export type OuterPermissions = components['schemas']['OuterPermissions'];
export type Passkey = components['schemas']['Passkey'];
export type PingResult = components['schemas']['PingResult'];
export type PingWebhook = components['schemas']['PingWebhook'];
export type Product = components['schemas']['Product'];
export type Project = components['schemas']['Project'];
export type ProjectTotals = components['schemas']['ProjectTotals'];
export type ProjectUpdated = components['schemas']['ProjectUpdated'];
export type ProviderAddress = components['schemas']['ProviderAddress'];
export type ProviderChoice = components['schemas']['ProviderChoice'];
export type RateLimitConfigs = components['schemas']['RateLimitConfigs'];
export type RateLimitState = components['schemas']['RateLimitState'];
export type Ready = components['schemas']['Ready'];
export type RecoveryCode = components['schemas']['RecoveryCode'];
export type RecoveryCodes = components['schemas']['RecoveryCodes'];
export type RenamePasskey = components['schemas']['RenamePasskey'];
export type RequiredPermissions = components['schemas']['RequiredPermissions'];
export type ResendInvitation = components['schemas']['ResendInvitation'];
export type ResetPassword = components['schemas']['ResetPassword'];
export type ReturnLeases = components['schemas']['ReturnLeases'];
export type ReturnedLeases = components['schemas']['ReturnedLeases'];
export type RotateKey = components['schemas']['RotateKey'];
export type Session = components['schemas']['Session'];
export type Setup = components['schemas']['Setup'];
export type SetupInfo = components['schemas']['SetupInfo'];
export type SetupToken = components['schemas']['SetupToken'];
export type SignInMethods = components['schemas']['SignInMethods'];
export type SignInPasskey = components['schemas']['SignInPasskey'];
export type SignInPassword = components['schemas']['SignInPassword'];
export type SignInResult = components['schemas']['SignInResult'];
export type StartReplay = components['schemas']['StartReplay'];
export type Status = components['schemas']['Status'];
export type Teammate = components['schemas']['Teammate'];
export type TotpCode = components['schemas']['TotpCode'];
export type UpdateAccessKey = components['schemas']['UpdateAccessKey'];
export type UpdateApiKey = components['schemas']['UpdateApiKey'];
export type UpdateInvitation = components['schemas']['UpdateInvitation'];
export type UpdateMe = components['schemas']['UpdateMe'];
export type UpdateProject = components['schemas']['UpdateProject'];
export type UpdateUserRole = components['schemas']['UpdateUserRole'];
export type UpdateWebhook = components['schemas']['UpdateWebhook'];
export type UsageReceived = components['schemas']['UsageReceived'];
export type UsageReport = components['schemas']['UsageReport'];
export type UsageRow = components['schemas']['UsageRow'];
export type UserRole = components['schemas']['UserRole'];
export type ValidateKeys = components['schemas']['ValidateKeys'];
export type ValidatedKey = components['schemas']['ValidatedKey'];
export type Webhook = components['schemas']['Webhook'];
export type WebhookReplay = components['schemas']['WebhookReplay'];
export type WebhookSetBy = components['schemas']['WebhookSetBy'];
export type WebhookWithSecret = components['schemas']['WebhookWithSecret'];
export type $defs = Record<string, never>;
export interface operations {
    listApiKeys: {
        parameters: {
            query?: {
                /** @description Id of the project: `prj_…`. */
                projectId?: string;
                /** @description The exact name. */
                name?: string;
                /** @description Use the text `null` to find keys without one. */
                customAccountId?: string;
                /** @description Use the text `null` to find keys without one. */
                customUserId?: string;
                isActive?: boolean;
                /** @description A part of the name, `customAccountId` or `customUserId`, ignoring case; or the beginning of the value; or the id. */
                search?: string;
                /** @description Keys with this tag. Repeat it to find keys that have all of several tags. */
                tag?: string[];
                /** @description Whether the key has a rate limit. */
                limited?: boolean;
                /** @description Keys that expire after this time, or never. An ISO 8601 date-time, a date, or `YYYY-MM-DD HH:mm:ss`. UTC unless it has an offset. */
                expiresAfter?: string;
                /** @description Keys that expire at or before this time. An ISO 8601 date-time, a date, or `YYYY-MM-DD HH:mm:ss`. UTC unless it has an offset. */
                expiresBefore?: string;
                /** @description Defaults to `createdAt`. Keys without the given time come last. */
                sort?: "createdAt" | "name" | "expiresAt" | "lastUsedAt";
                /** @description Defaults to `ascending` for `name` and `expiresAt`, otherwise to `descending`. */
                order?: "ascending" | "descending";
                /** @description Items on a page. Without it the whole list is sent. */
                limit?: number;
                /** @description Items to skip, at most 100,000; not together with `cursor`, which costs less in a long list. */
                offset?: number;
                /** @description From the `Link` header of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique value, such as a UUID, that makes retries safe. A request with the same key and body within 24 hours returns the first response and creates nothing. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKey"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    countApiKeys: {
        parameters: {
            query?: {
                /** @description Id of the project: `prj_…`. */
                projectId?: string;
                /** @description The exact name. */
                name?: string;
                /** @description Use the text `null` to find keys without one. */
                customAccountId?: string;
                /** @description Use the text `null` to find keys without one. */
                customUserId?: string;
                isActive?: boolean;
                /** @description A part of the name, `customAccountId` or `customUserId`, ignoring case; or the beginning of the value; or the id. */
                search?: string;
                /** @description Keys with this tag. Repeat it to find keys that have all of several tags. */
                tag?: string[];
                /** @description Whether the key has a rate limit. */
                limited?: boolean;
                /** @description Keys that expire after this time, or never. An ISO 8601 date-time, a date, or `YYYY-MM-DD HH:mm:ss`. UTC unless it has an offset. */
                expiresAfter?: string;
                /** @description Keys that expire at or before this time. An ISO 8601 date-time, a date, or `YYYY-MM-DD HH:mm:ss`. UTC unless it has an offset. */
                expiresBefore?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyCount"];
                };
            };
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The value of the key, or its id (`key_…`). */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    deleteApiKey: {
        parameters: {
            query?: {
                /** @description `true` erases the key, its usage, and stored responses for an `Idempotency-Key`. The audit log keeps the masked record. */
                permanent?: boolean;
            };
            header?: never;
            path: {
                /** @description The value of the key, or its id (`key_…`). */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": true;
                };
            };
        };
    };
    updateApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `updatedAt` of the resource when you read it, in quotes. If it was changed since, the request returns 412 and changes nothing. */
                "If-Match"?: string;
            };
            path: {
                /** @description The value of the key, or its id (`key_…`). */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateApiKey"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    reactivateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The value of the key, or its id (`key_…`). */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique value, such as a UUID, that makes retries safe. A request with the same key and body within 24 hours returns the first response and creates nothing. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The value of the key, or its id (`key_…`). */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateKey"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    importApiKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportApiKeys"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportAnswer"];
                };
            };
        };
    };
    validateApiKeyByGet: {
        parameters: {
            query?: {
                /** @description A permission that the key must have. Repeat it to require several. */
                permission?: string[];
                /** @description The IP address of your user, checked against `allowedIPs` of the key. */
                ip?: string;
            };
            header?: {
                /** @description The host that your user calls from, or an `Origin` such as `https://app.example.com`, of which only the host is used. Required for keys with `allowedDomains`. */
                "x-origin-domain"?: string;
            };
            path: {
                /** @description The value to validate. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidatedKey"];
                };
            };
        };
    };
    validateApiKey: {
        parameters: {
            query?: {
                /** @description A permission that the key must have. Repeat it to require several. */
                permission?: string[];
                /** @description The IP address of your user, checked against `allowedIPs` of the key. */
                ip?: string;
            };
            header?: {
                /** @description The host that your user calls from, or an `Origin` such as `https://app.example.com`, of which only the host is used. Required for keys with `allowedDomains`. */
                "x-origin-domain"?: string;
            };
            path: {
                /** @description The value to validate. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidatedKey"];
                };
            };
        };
    };
    validateApiKeys: {
        parameters: {
            query?: never;
            header?: {
                /** @description The host that your user calls from, or an `Origin` such as `https://app.example.com`, of which only the host is used. Required for keys with `allowedDomains`. */
                "x-origin-domain"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ValidateKeys"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidatedKey"] | components["schemas"]["BatchResult"][] | components["schemas"]["LeasedKey"];
                };
            };
        };
    };
    authenticateApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The host that your user calls from, or an `Origin` such as `https://app.example.com`, of which only the host is used. Required for keys with `allowedDomains`. */
                "x-origin-domain"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuthenticateOldForm"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidatedKey"];
                };
            };
        };
    };
    verifyForGateway: {
        parameters: {
            query?: {
                /** @description Status for a key that is missing or not valid. Default: 401. */
                invalid?: "401" | "403" | "404";
                /** @description Status for a key whose rate limit is exceeded. Default: 429. */
                limited?: "429" | "401" | "403";
                /** @description A permission that the key must have. Repeat it to require several. */
                permission?: string[];
                /** @description The IP address of your user, checked against `allowedIPs` of the key. */
                ip?: string;
            };
            header?: {
                /** @description The host that your user calls from, or an `Origin` such as `https://app.example.com`, of which only the host is used. Required for keys with `allowedDomains`. */
                "x-origin-domain"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidatedKey"];
                };
            };
        };
    };
    returnLeases: {
        parameters: {
            query?: never;
            header?: {
                /** @description The host that your user calls from, or an `Origin` such as `https://app.example.com`, of which only the host is used. Required for keys with `allowedDomains`. */
                "x-origin-domain"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReturnLeases"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReturnedLeases"];
                };
            };
        };
    };
    explainApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The value of the key, or its id (`key_…`). */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExplainKey"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                };
            };
        };
    };
    listAccessKeys: {
        parameters: {
            query?: {
                /** @description Id of the account (default: the account of the caller): `acc_…`. */
                accountId?: string;
                /** @description Only access keys of this project. Use the text `null` for account-level access keys. */
                projectId?: string;
                isActive?: boolean;
                /** @description Items on a page. Without it the whole list is sent. */
                limit?: number;
                /** @description Items to skip, at most 100,000; not together with `cursor`, which costs less in a long list. */
                offset?: number;
                /** @description From the `Link` header of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessKey"][];
                };
            };
        };
    };
    createAccessKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique value, such as a UUID, that makes retries safe. A request with the same key and body within 24 hours returns the first response and creates nothing. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAccessKey"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessKey"];
                };
            };
        };
    };
    getAccessKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The value of the access key, or its id (`ak_…`). */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessKey"];
                };
            };
        };
    };
    deleteAccessKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The value of the access key, or its id (`ak_…`). */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": true;
                };
            };
        };
    };
    updateAccessKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `updatedAt` of the resource when you read it, in quotes. If it was changed since, the request returns 412 and changes nothing. */
                "If-Match"?: string;
            };
            path: {
                /** @description The value of the access key, or its id (`ak_…`). */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateAccessKey"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessKey"];
                };
            };
        };
    };
    reactivateAccessKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The value of the access key, or its id (`ak_…`). */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessKey"];
                };
            };
        };
    };
    rotateAccessKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique value, such as a UUID, that makes retries safe. A request with the same key and body within 24 hours returns the first response and creates nothing. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The value of the access key, or its id (`ak_…`). */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateKey"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessKey"];
                };
            };
        };
    };
    listProjects: {
        parameters: {
            query?: {
                /** @description Id of the account (default: the account of the access key): `acc_…`. */
                accountId?: string;
                /** @description Items on a page. Without it the whole list is sent. */
                limit?: number;
                /** @description Items to skip, at most 100,000; not together with `cursor`, which costs less in a long list. */
                offset?: number;
                /** @description From the `Link` header of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"][];
                };
            };
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique value, such as a UUID, that makes retries safe. A request with the same key and body within 24 hours returns the first response and creates nothing. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateProject"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project: `prj_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    deleteProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project: `prj_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": true;
                };
            };
        };
    };
    updateProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `updatedAt` of the resource when you read it, in quotes. If it was changed since, the request returns 412 and changes nothing. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the project: `prj_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateProject"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    reactivateProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the project: `prj_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
        };
    };
    listAccounts: {
        parameters: {
            query?: {
                /** @description Items on a page. Without it the whole list is sent. */
                limit?: number;
                /** @description Items to skip, at most 100,000; not together with `cursor`, which costs less in a long list. */
                offset?: number;
                /** @description From the `Link` header of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"][];
                };
            };
        };
    };
    createAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique value, such as a UUID, that makes retries safe. A request with the same key and body within 24 hours returns the first response and creates nothing. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountName"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the account: `acc_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    updateAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the account: `acc_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccountName"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                /** @description Id of the account: `acc_…`. */
                accountId?: string;
                /** @description Only invitations whose `projectIds` include this project. */
                projectId?: string;
                /** @description Only a pending invitation can be changed or accepted. */
                status?: "pending" | "accepted" | "cancelled" | "expired";
                /** @description Items on a page. Without it the whole list is sent. */
                limit?: number;
                /** @description Items to skip, at most 100,000; not together with `cursor`, which costs less in a long list. */
                offset?: number;
                /** @description From the `Link` header of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"][];
                };
            };
        };
    };
    createInvitations: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique value, such as a UUID, that makes retries safe. A request with the same key and body within 24 hours returns the first response and creates nothing. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateInvitations"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedInvitation"][];
                };
            };
        };
    };
    getInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the invitation: `inv_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    deleteInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the invitation: `inv_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": true;
                };
            };
        };
    };
    updateInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the invitation: `inv_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateInvitation"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    getInvitationInfo: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the invitation: `inv_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationInfo"];
                };
            };
        };
    };
    resendInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the invitation: `inv_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ResendInvitation"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedInvitation"];
                };
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the invitation: `inv_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcceptInvitation"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInResult"];
                };
            };
        };
    };
    getSignInMethods: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInMethods"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInPassword"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInResult"];
                };
            };
        };
    };
    signInWithTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TotpCode"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInResult"];
                };
            };
        };
    };
    signInWithRecoveryCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecoveryCode"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInResult"];
                };
            };
        };
    };
    beginPasskeySignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    signInWithPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInPasskey"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInResult"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": true;
                };
            };
        };
    };
    beginProviderSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProviderChoice"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderAddress"];
                };
            };
        };
    };
    finishProviderSignIn: {
        parameters: {
            query?: {
                code?: string;
                state?: string;
                error?: string;
                error_description?: string;
                iss?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": null;
                };
            };
        };
    };
    linkProvider: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProviderChoice"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderAddress"];
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePassword"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": true;
                };
            };
        };
    };
    forgetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ForgottenPassword"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": true;
                };
            };
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetPassword"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": true;
                };
            };
        };
    };
    beginTwoFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmPassword"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewTwoFactor"];
                };
            };
        };
    };
    confirmTwoFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TotpCode"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": true;
                };
            };
        };
    };
    newRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmPassword"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
        };
    };
    endTwoFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmPassword"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": true;
                };
            };
        };
    };
    listPasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"][];
                };
            };
        };
    };
    addPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPasskey"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
        };
    };
    beginPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    removePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the passkey: `psk_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": true;
                };
            };
        };
    };
    renamePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the passkey: `psk_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenamePasskey"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"][];
                };
            };
        };
    };
    endOtherSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": true;
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session: `ses_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": true;
                };
            };
        };
    };
    confirmIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmIdentity"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Confirmed"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    updateMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateMe"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
        };
    };
    getSetupInfo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetupToken"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SetupInfo"];
                };
            };
        };
    };
    useSetupLink: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Setup"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInResult"];
                };
            };
        };
    };
    listTeammates: {
        parameters: {
            query?: {
                /** @description Id of the account: `acc_…`. */
                accountId?: string;
                /** @description Id of a project (lists only people with access to it): `prj_…`. */
                projectId?: string;
                /** @description Items on a page. Without it the whole list is sent. */
                limit?: number;
                /** @description Items to skip, at most 100,000; not together with `cursor`, which costs less in a long list. */
                offset?: number;
                /** @description From the `Link` header of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Teammate"][];
                };
            };
        };
    };
    getUserRoles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the person: `usr_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserRole"][];
                };
            };
        };
    };
    deleteUserRole: {
        parameters: {
            query?: {
                /** @description Id of the account (default: the account of the credential): `acc_…`. */
                accountId?: string;
                /** @description Id of the project to remove from the role (without it, the person is removed from the account): `prj_…`. */
                projectId?: string;
            };
            header?: never;
            path: {
                /** @description Id of the person: `usr_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": true;
                };
            };
        };
    };
    updateUserRole: {
        parameters: {
            query?: {
                /** @description Id of the account (default: the account of the credential): `acc_…`. */
                accountId?: string;
            };
            header?: never;
            path: {
                /** @description Id of the person: `usr_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateUserRole"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserRole"];
                };
            };
        };
    };
    leaveAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the account: `acc_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": true;
                };
            };
        };
    };
    createOwnerLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the account: `acc_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OneTimeLink"];
                };
            };
        };
    };
    createPasswordLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or e-mail address of the person. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OneTimeLink"];
                };
            };
        };
    };
    deleteSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or e-mail address of the person. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": true;
                };
            };
        };
    };
    listWebhookTopics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": ("api-key.created" | "api-key.deleted" | "api-key.updated" | "api-key.firstUsed" | "access-key.created" | "access-key.updated" | "access-key.deleted" | "project.updated")[];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Id of the account; default: the caller’s own: `acc_…`. */
                accountId?: string;
                /** @description Only webhooks of this project; the text `null` matches those of the whole account. */
                projectId?: string;
                /** @description The type of an event. */
                topic?: "api-key.created" | "api-key.deleted" | "api-key.updated" | "api-key.firstUsed" | "access-key.created" | "access-key.updated" | "access-key.deleted" | "project.updated";
                /** @description Items on a page. Without it the whole list is sent. */
                limit?: number;
                /** @description Items to skip, at most 100,000; not together with `cursor`, which costs less in a long list. */
                offset?: number;
                /** @description From the `Link` header of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"][];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique value, such as a UUID, that makes retries safe. A request with the same key and body within 24 hours returns the first response and creates nothing. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook: `whk_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook: `whk_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": true;
                };
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `updatedAt` of the resource when you read it, in quotes. If it was changed since, the request returns 412 and changes nothing. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the webhook: `whk_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhook"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook: `whk_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    pingWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PingWebhook"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PingResult"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description `pending`: sent when it is due. `held`: waits until its project is active and its webhook live. `failed`: every attempt failed. `cancelled`: will not be sent. */
                status?: "pending" | "held" | "delivered" | "failed" | "cancelled";
                /** @description The type of an event. */
                topic?: "api-key.created" | "api-key.deleted" | "api-key.updated" | "api-key.firstUsed" | "access-key.created" | "access-key.updated" | "access-key.deleted" | "project.updated";
                /** @description Created at this time or later: an ISO 8601 date-time, or a date; UTC unless it has an offset. */
                from?: string;
                /** @description Created at this time or earlier: an ISO 8601 date-time, or a date; UTC unless it has an offset. */
                to?: string;
                /** @description Items on a page. Without it the whole list is sent. */
                limit?: number;
                /** @description Items to skip, at most 100,000; not together with `cursor`, which costs less in a long list. */
                offset?: number;
                /** @description From the `Link` header of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the webhook: `whk_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"][];
                };
            };
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook: `whk_…`. */
                id: string;
                /** @description Id of the delivery: `dlv_…`. */
                delivery: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryWithPayload"];
                };
            };
        };
    };
    retryWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook: `whk_…`. */
                id: string;
                /** @description Id of the delivery: `dlv_…`. */
                delivery: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
        };
    };
    startWebhookReplay: {
        parameters: {
            query?: never;
            header?: {
                /** @description A unique value, such as a UUID, that makes retries safe. A request with the same key and body within 24 hours returns the first response and creates nothing. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the webhook: `whk_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartReplay"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
        };
    };
    listWebhookReplays: {
        parameters: {
            query?: {
                /** @description Items on a page. Without it the whole list is sent. */
                limit?: number;
                /** @description Items to skip, at most 100,000; not together with `cursor`, which costs less in a long list. */
                offset?: number;
                /** @description From the `Link` header of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Id of the webhook: `whk_…`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplay"][];
                };
            };
        };
    };
    getWebhookReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook: `whk_…`. */
                id: string;
                /** @description Id of the replay: `rpl_…`. */
                replay: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReplay"];
                };
            };
        };
    };
    listAuditLogs: {
        parameters: {
            query?: {
                /** @description Id of the access key or user that made the change. */
                actor?: string;
                /** @description The action. A value that ends in a dot matches all actions that begin with it. */
                action?: string;
                /** @description Id of the changed resource, or up to 20 ids separated by commas. */
                target?: string;
                targetType?: string;
                /** @description Id of the project: `prj_…`. The text `null` matches rows without a project. */
                projectId?: string;
                /** @description Not before this time. An ISO 8601 date-time, a date, or `YYYY-MM-DD HH:mm:ss`; UTC unless it has an offset. */
                from?: string;
                /** @description Before this time. An ISO 8601 date-time, a date, or `YYYY-MM-DD HH:mm:ss`; UTC unless it has an offset. */
                to?: string;
                /** @description Items on a page. Without it the whole list is sent. */
                limit?: number;
                /** @description Items to skip, at most 100,000; not together with `cursor`, which costs less in a long list. */
                offset?: number;
                /** @description From the `Link` header of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditLog"][];
                };
            };
        };
    };
    getApiKeyTotals: {
        parameters: {
            query?: {
                /** @description Id of the project. Default: that of the access key, else all of the account: `prj_…`. */
                projectId?: string;
                /** @description Only this key: its value, or its id (`key_…`). */
                key?: string;
                /** @description The text `null` matches keys without one. */
                customAccountId?: string;
                /** @description The text `null` matches keys without one. */
                customUserId?: string;
                /** @description Items on a page. Without it the whole list is sent. */
                limit?: number;
                /** @description Items to skip, at most 100,000; not together with `cursor`, which costs less in a long list. */
                offset?: number;
                /** @description From the `Link` header of the previous page. */
                cursor?: string;
                /** @description Length of a bucket, in UTC. Weeks begin on Monday. Default: `all`. */
                dateGrouping?: "hour" | "day" | "week" | "month" | "all";
                /** @description Rounded down to the start of its bucket. Default: the first use. */
                from?: string;
                /** @description Exclusive, rounded up to the end of its bucket. Default: now. */
                to?: string;
                /** @description Highest total, latest use, or names from A first. Default: newest key first. */
                sort?: "total" | "name" | "lastUsedAt";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyTotals"][];
                };
            };
        };
    };
    getProjectTotals: {
        parameters: {
            query?: {
                /** @description Id of the project. Default: that of the access key, else all of the account: `prj_…`. */
                projectId?: string;
                /** @description Only this key: its value, or its id (`key_…`). */
                key?: string;
                /** @description The text `null` matches keys without one. */
                customAccountId?: string;
                /** @description The text `null` matches keys without one. */
                customUserId?: string;
                /** @description Items on a page. Without it the whole list is sent. */
                limit?: number;
                /** @description Items to skip, at most 100,000; not together with `cursor`, which costs less in a long list. */
                offset?: number;
                /** @description From the `Link` header of the previous page. */
                cursor?: string;
                /** @description Length of a bucket, in UTC. Weeks begin on Monday. Default: `all`. */
                dateGrouping?: "hour" | "day" | "week" | "month" | "all";
                /** @description Rounded down to the start of its bucket. Default: the first use. */
                from?: string;
                /** @description Exclusive, rounded up to the end of its bucket. Default: now. */
                to?: string;
                /** @description Highest total, latest use, or names from A first. Default: newest key first. */
                sort?: "total" | "name" | "lastUsedAt";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectTotals"][];
                };
            };
        };
    };
    getUsage: {
        parameters: {
            query: {
                /** @description What to group the counts by. */
                groupBy: "key" | "customAccountId" | "customUserId" | "outcome" | "accessKey";
                /** @description Length of a bucket. Weeks begin on Monday. */
                interval: "minute" | "hour" | "day" | "week" | "month";
                /** @description Id of the project. Default: that of the access key, else all of the account: `prj_…`. */
                projectId?: string;
                /** @description Only this key: its value, or its id (`key_…`). */
                key?: string;
                /** @description The text `null` matches keys without one. */
                customAccountId?: string;
                /** @description The text `null` matches keys without one. */
                customUserId?: string;
                /** @description Items on a page. Without it the whole list is sent. */
                limit?: number;
                /** @description Items to skip, at most 100,000; not together with `cursor`, which costs less in a long list. */
                offset?: number;
                /** @description From the `Link` header of the previous page. */
                cursor?: string;
                /** @description Count only this outcome. */
                outcome?: "valid" | "rate_limited" | "revoked" | "expired" | "domain_denied" | "not_started" | "ip_denied" | "permission_denied" | "credits_exhausted" | "unknown" | "malformed";
                /** @description Keys with the most validations in the time range first. Only with `groupBy=key`, and without `outcome`. Default: newest first. */
                sort?: "total";
                /** @description Time zone of days, weeks and months: an IANA name. Default: UTC. */
                timezone?: string;
                /** @description Rounded down to the start of its bucket. Default: the last hour, day, 30 days, 12 weeks or 12 months. */
                from?: string;
                /** @description Exclusive, rounded up to the end of its bucket. Default: now. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageRow"][];
                };
            };
        };
    };
    reportUsage: {
        parameters: {
            query?: never;
            header?: {
                /** @description The host that your user calls from, or an `Origin` such as `https://app.example.com`, of which only the host is used. Required for keys with `allowedDomains`. */
                "x-origin-domain"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UsageReport"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageReceived"];
                };
            };
        };
    };
    streamChanges: {
        parameters: {
            query?: {
                /** @description The `id` of the last event that was received. The header `Last-Event-ID` can be used instead. */
                cursor?: string;
                /** @description How long the stream lasts. 0: it sends the missed changes and ends. */
                maxSeconds?: number;
            };
            header?: {
                /** @description The host that your user calls from, or an `Origin` such as `https://app.example.com`, of which only the host is used. Required for keys with `allowedDomains`. */
                "x-origin-domain"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                };
            };
        };
    };
    readiness: {
        parameters: {
            query?: {
                /** @description `validations`: ignore problems that affect only changes */
                for?: "all" | "validations";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"];
                };
            };
        };
    };
    getEngines: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EngineState"];
                };
            };
        };
    };
    product: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Product"];
                };
            };
        };
    };
}
