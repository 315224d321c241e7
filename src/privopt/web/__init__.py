"""The workbench: a local web page for the curator, `privopt open`.

    public process    screens Model, Design and Ledger; never has d              `public`
    worker process    designs, one at a time, ended by the next change           `worker`
    curator process   reads the data file: the private look, and the release     `curator`

All three run on this machine alone. The public process starts the others and holds a pipe to each:
when it ends, however it ends, the pipes close and they end too. The curator's page is shown in a
frame of the screen Release; what it shows goes from its process to that frame directly.

Everything here calls the workflows of `app/`, as the command line does.
"""
