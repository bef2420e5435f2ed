"""Episodes of one run on several machines, which Ray connects, places and repeats after a loss.

Nothing here is loaded where one machine plays. The store, the grades and the stop rules stay with
the process that runs the command; a node of the cluster plays single episodes, as this machine does
without a cluster.
"""
